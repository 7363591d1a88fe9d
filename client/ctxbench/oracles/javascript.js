// Reads paths, one a line; writes for each the first syntax error of the file, or line 0. A file is a
// module or a script for good, as it was when it was first asked about.
'use strict';
const fs = require('fs');
const vm = require('vm');
const kinds = new Map();

function compile(kind, source, path) {
  try {
    if (kind === 'module') new vm.SourceTextModule(source, { identifier: path });
    else vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: path });
  } catch (e) {
    if (!(e instanceof SyntaxError)) throw e;
    // The first line of the stack is PATH:LINE; some errors come without one.
    const at = /:(\d+)$/.exec(String(e.stack).split('\n')[0]);
    return { line: at ? Number(at[1]) : 1, message: e.message };
  }
  return { line: 0 };
}

require('readline').createInterface({ input: process.stdin }).on('line', (path) => {
  const source = fs.readFileSync(path, 'utf8').replace(/^\uFEFF?#!/, '//');
  let answer;
  if (kinds.has(path)) {
    answer = compile(kinds.get(path), source, path);
  } else {
    for (const kind of ['script', 'module']) {
      answer = compile(kind, source, path);
      if (answer.line === 0) {
        kinds.set(path, kind);
        break;
      }
    }
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
