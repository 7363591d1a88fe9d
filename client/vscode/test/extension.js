// Runs the built extension without VS Code: its module "vscode" is a stand-in that keeps what was registered and shown,
// and its language client one that speaks with a real `ctx lsp` over vscode-languageserver-protocol.
"use strict";
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const p = require("vscode-languageserver-protocol/node");

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ctx-vscode-")));
const source = "def alpha():\n    return 1\n\n\ndef beta():\n    return alpha()\n";
fs.writeFileSync(path.join(root, "m.py"), source);

const commands = new Map();
const seen = { clipboard: "", status: "", errors: [], shown: [] };
const document = {
  uri: pathToFileURL(path.join(root, "m.py")),
  lineAt: (n) => ({ text: source.split("\n")[n] }),
};
const editor = { document, selection: undefined };
const select = (start, end) => (editor.selection = { start, end, active: end, isEmpty: start.line === end.line && start.character === end.character, toJSON() { return { start, end }; } });

const vscode = {
  workspace: { getConfiguration: () => ({ get: (_, fallback) => fallback }) },
  commands: { registerCommand: (name, f) => (commands.set(name, f), { dispose() {} }) },
  window: {
    get activeTextEditor() { return editor; },
    showErrorMessage: (text) => seen.errors.push(text),
    setStatusBarMessage: (text) => (seen.status = text),
    showInputBox: async () => undefined,
  },
  env: { clipboard: { writeText: async (text) => (seen.clipboard = text) } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  Hover: class { constructor(contents, range) { Object.assign(this, { contents, range }); } },
};

/** LanguageClient is what the extension uses of the real one. */
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { server, options });
    LanguageClient.last = this;
  }
  async start() {
    this.process = spawn(this.server.command, this.server.args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.connection = p.createProtocolConnection(new p.StreamMessageReader(this.process.stdout), new p.StreamMessageWriter(this.process.stdin));
    this.connection.onRequest("window/showDocument", (params) => (seen.shown.push(params), { success: true }));
    this.connection.listen();
    await this.connection.sendRequest(p.InitializeRequest.type, {
      processId: process.pid, rootUri: pathToFileURL(root).toString(),
      capabilities: { window: { showDocument: { support: true } }, textDocument: { hover: { contentFormat: ["markdown"] } } },
    });
    await this.connection.sendNotification(p.InitializedNotification.type, {});
  }
  sendRequest(method, params) { return this.connection.sendRequest(method, params); }
  async stop() {
    await this.connection.sendRequest(p.ShutdownRequest.type);
    await this.connection.sendNotification(p.ExitNotification.type);
    assert.equal(await this.ended, 0, "exit status of ctx lsp");
  }
}

const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === "vscode") return vscode;
  if (request === "vscode-languageclient/node") return { LanguageClient };
  return load.call(this, request, ...rest);
};

async function main() {
  const manifest = require("../package.json");
  const extension = require(path.join("..", manifest.main));
  await extension.activate({ subscriptions: [] });
  for (const c of manifest.contributes.commands) {
    assert(commands.has(c.command), `${c.command} is in package.json and nowhere else`);
  }

  select({ line: 5, character: 12 }, { line: 5, character: 12 });
  await commands.get("ctx.copyAddressHere")();
  assert.match(seen.clipboard, /^repo:m\.py --lines 1:2@[0-9a-f]{8}$/, "the address of what the cursor means");
  const address = seen.clipboard;

  select({ line: 4, character: 2 }, { line: 5, character: 3 });
  await commands.get("ctx.copySelectedLines")();
  assert.match(seen.clipboard, /^repo:m\.py --lines 5:6@[0-9a-f]{8}$/, "the address of the selected lines");

  fs.writeFileSync(path.join(root, "m.py"), "import os\n" + source);
  await commands.get("ctx.openAddress")(address);
  assert.equal(seen.shown.length, 1);
  assert.equal(seen.shown[0].selection.start.line, 1, "where the content is now");

  await commands.get("ctx.openAddress")("repo:m.py --lines 1:2@00000000");
  assert.match(seen.errors.join("\n"), /not found in repo:m\.py/, "a lost address is refused with the reason");

  const client = LanguageClient.last;
  const hover = await client.options.middleware.provideHover(document, {}, {}, async () => {
    const answer = await client.sendRequest("textDocument/hover", { textDocument: { uri: document.uri.toString() }, position: { line: 6, character: 12 } });
    return { contents: [answer.contents], range: answer.range };
  });
  assert.match(hover.contents[0].value, /\[copy\]\(command:ctx\.copyText\?%5B%22repo%3Am\.py/);
  assert.match(hover.contents[0].value, /\[open\]\(command:ctx\.openAddress\?/);
  assert.deepEqual(hover.contents[0].isTrusted.enabledCommands, ["ctx.copyText", "ctx.openAddress"]);

  const { addressIn } = require("../out/address");
  const line = "a repo:m.py --lines 1:2@01234567 b repo:n.py --lines 3:4@89abcdef";
  assert.equal(addressIn(line, 5), "repo:m.py --lines 1:2@01234567");
  assert.equal(addressIn(line, line.length), "repo:n.py --lines 3:4@89abcdef");
  assert.equal(addressIn(line, 0), undefined);
  assert.equal(addressIn("see repo:m.py --lines 1:2@01234567", 0), "repo:m.py --lines 1:2@01234567");

  await extension.deactivate();
  fs.rmSync(root, { recursive: true });
  console.log("ok");
  process.exit(0);
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
