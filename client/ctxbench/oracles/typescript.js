// Reads paths, one a line; writes for each the first error of TypeScript's parser, or line 0. The
// argument is the directory of the typescript package.
'use strict';
const fs = require('fs');
const ts = require(process.argv[2]);

require('readline').createInterface({ input: process.stdin }).on('line', (path) => {
  const file = ts.createSourceFile(path, fs.readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false);
  const first = file.parseDiagnostics[0];
  let answer = { line: 0 };
  if (first) {
    const line = file.getLineAndCharacterOfPosition(first.start).line + 1;
    answer = { line, message: ts.flattenDiagnosticMessageText(first.messageText, ' ') };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
