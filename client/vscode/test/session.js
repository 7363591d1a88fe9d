// Drives ctx lsp through one session with vscode-languageserver-protocol; see TestNode in daemon/ctxd. Prints
// "step: what was seen" to $OUT.
"use strict";
const { spawn, execSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL, fileURLToPath } = require("node:url");
const p = require("vscode-languageserver-protocol/node");

const root = process.env.ROOT;
const say = (step, value) => fs.appendFileSync(process.env.OUT, `${step}: ${value}\n`);
const run = (command) => execSync(command, { cwd: root, shell: "/bin/sh" }).toString();
const uri = (name) => pathToFileURL(path.join(root, name)).toString();
const rel = (u) => path.relative(root, fileURLToPath(u.replace(/#.*/, "")));
const place = (l) => `${rel(l.uri ?? l.targetUri)}:${(l.targetSelectionRange ?? l.range).start.line + 1}`;

/** Document is an open text that is edited as an editor edits it: a change is sent for each. */
class Document {
  constructor(connection, name) {
    this.connection = connection;
    this.uri = uri(name);
    this.file = path.join(root, name);
    this.version = 1;
    this.text = fs.readFileSync(this.file, "utf8");
    connection.sendNotification(p.DidOpenTextDocumentNotification.type, {
      textDocument: { uri: this.uri, languageId: "go", version: 1, text: this.text },
    });
  }
  position(offset) {
    const before = this.text.slice(0, offset);
    const line = before.split("\n").length - 1;
    return { line, character: offset - (before.lastIndexOf("\n") + 1) };
  }
  offset(position) {
    const lines = this.text.split("\n");
    return lines.slice(0, position.line).reduce((n, l) => n + l.length + 1, 0) + position.character;
  }
  at(word) {
    return { textDocument: { uri: this.uri }, position: this.position(this.text.indexOf(word)) };
  }
  edit(start, end, text) {
    const range = { start: this.position(start), end: this.position(end) };
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.connection.sendNotification(p.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ range, text }],
    });
  }
  apply(edits) {
    for (const e of [...edits].reverse()) {
      this.edit(this.offset(e.range.start), this.offset(e.range.end), e.newText);
    }
  }
}

async function main() {
  const server = spawn("ctx", ["lsp", "--stdio"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const connection = p.createProtocolConnection(new p.StreamMessageReader(server.stdout), new p.StreamMessageWriter(server.stdin));
  const published = new Map();
  let waiting = () => {};
  connection.onNotification(p.PublishDiagnosticsNotification.type, (d) => {
    published.set(d.uri, d.diagnostics);
    waiting();
  });
  const diagnostics = async (document, fits) => {
    while (!fits(published.get(document.uri) ?? [])) {
      await new Promise((resolve) => (waiting = resolve));
    }
    return published.get(document.uri) ?? [];
  };
  connection.listen();
  // The first question comes with no daemon running, right behind initialize.
  const initialized = connection.sendRequest(p.InitializeRequest.type, {
    processId: process.pid, rootUri: uri(""), workspaceFolders: [{ uri: uri("").replace(/\/$/, ""), name: "w" }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: {
        definition: { linkSupport: true }, hover: { contentFormat: ["markdown"] },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true }, publishDiagnostics: { versionSupport: true },
        rename: { prepareSupport: true },
      },
      workspace: { workspaceEdit: { documentChanges: true } },
    },
  });
  const { capabilities } = await initialized;
  await connection.sendNotification(p.InitializedNotification.type, {});
  const ask = (type, params) => connection.sendRequest(type, params);
  const symbols = (query) => ask(p.WorkspaceSymbolRequest.type, { query });

  const code = new Document(connection, "extra/extra.go");
  say("open", capabilities.renameProvider.prepareProvider && capabilities.diagnosticProvider ? "attached" : "no capabilities");

  const [target] = await ask(p.DefinitionRequest.type, code.at("EncodeToString(v)"));
  say("jump", fs.readFileSync(fileURLToPath(target.targetUri), "utf8").split("\n")[target.targetSelectionRange.start.line].match(/^func \w+/)[0]);

  const refs = await ask(p.ReferencesRequest.type, { ...code.at("Total("), context: { includeDeclaration: true } });
  say("references", refs.map(place).join(" "));

  await ask(p.PrepareRenameRequest.type, code.at("sum :="));
  const edit = await ask(p.RenameRequest.type, { ...code.at("sum :="), newName: "acc" });
  code.apply(edit.documentChanges[0].edits);
  say("rename", code.text.split("\n").slice(6, 12).join("|"));

  code.edit(0, 0, "// typed, not saved\n");
  code.edit(code.text.length, code.text.length, "\nfunc TypedByHand() int { return Total(nil) }\n");
  const typed = await symbols("TypedByHand");
  say("edit", `${typed.length} ${place(typed[0].location)}`);
  say("shell", run("ctx def extra.TypedByHand 2>&1 | head -1; ctx def repo:extra/extra.go:Total --no-body 2>&1 | grep note").replaceAll("\n", "|"));

  const head = code.text.indexOf("{", code.text.indexOf("func Total")) + 1;
  code.edit(head, head, " {{{(");
  say("diagnostics", (await diagnostics(code, (d) => d.length > 0))[0].source);
  code.edit(head, head + 5, "");
  await diagnostics(code, (d) => d.length === 0);

  const outline = await ask(p.DocumentSymbolRequest.type, { textDocument: { uri: code.uri } });
  say("symbols", outline.map((s) => s.name).join(" "));

  const hover = (await ask(p.HoverRequest.type, code.at("Total("))).contents.value;
  say("hover", `${hover.match(/func Total.*/)[0]} ${hover.match(/repo:\S+ --lines/)[0]}`);

  const notes = new Document(connection, "notes.md");
  const links = await ask(p.DocumentLinkRequest.type, { textDocument: { uri: notes.uri } });
  say("links", `${links.length} ${rel(links[0].target)}${links[0].target.match(/#.*/)[0]}`);
  say("lost", (await diagnostics(notes, (d) => d.length === 1))[0].code);

  fs.writeFileSync(code.file, code.text);
  await connection.sendNotification(p.DidSaveTextDocumentNotification.type, { textDocument: { uri: code.uri }, text: code.text });
  fs.writeFileSync(path.join(root, "hex/external.go"), "package hex\n\nfunc External() {}\n");
  say("external", place((await symbols("External"))[0].location));

  run("git stash -q && git checkout -q other");
  const now = fs.readFileSync(code.file, "utf8"); // an editor reads a file again that was not modified in it
  code.edit(0, code.text.length, now);
  const branch = await symbols("Branch");
  say("checkout", `${branch.length} ${place(branch[0].location)}`);
  say("gone", (await symbols("TypedByHand")).length);

  await ask(p.ShutdownRequest.type);
  await connection.sendNotification(p.ExitNotification.type);
  say("shutdown", await ended);
  process.exit(0);
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
