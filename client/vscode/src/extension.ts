// The extension starts `ctx lsp`, and adds what a protocol has no place for: commands that copy the address of what is at
// the cursor or selected, and that open an address; and links in every hover that do both. Everything else, definitions,
// references, symbols, renames, links, diagnostics, is VS Code's own use of the language server.
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { addressIn, withCommands } from "./address";

let client: LanguageClient | undefined;

/** What ctx.copyAddress answers. */
interface Copied {
  address: string;
  captured?: string;
  note?: string;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server: ServerOptions = {
    command: vscode.workspace.getConfiguration("ctx").get<string>("path", "ctx"),
    args: ["lsp"],
  };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    middleware: {
      provideHover: async (document, position, token, next) => {
        const hover = await next(document, position, token);
        return hover && linked(hover);
      },
    },
  };
  client = new LanguageClient("ctx", "ctx", server, options);
  context.subscriptions.push(
    vscode.commands.registerCommand("ctx.copyAddressHere", () => copy(false)),
    vscode.commands.registerCommand("ctx.copySelectedLines", () => copy(true)),
    vscode.commands.registerCommand("ctx.copyText", (text: string) => toClipboard(text)),
    vscode.commands.registerCommand("ctx.openAddress", (address?: string) => open(address)),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

/** execute runs a command of the server. */
async function execute<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
  try {
    return await client!.sendRequest<T>("workspace/executeCommand", { command, arguments: args });
  } catch (e) {
    void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
    return undefined;
  }
}

/** copy copies the address of the definition that the cursor means, or of the selected lines. */
async function copy(lines: boolean): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const where = lines || !editor.selection.isEmpty
    ? { uri: editor.document.uri.toString(), range: editor.selection }
    : { uri: editor.document.uri.toString(), position: editor.selection.active };
  const copied = await execute<Copied>("ctx.copyAddress", where);
  if (copied) {
    await toClipboard(copied.address, copied.note);
  }
}

async function toClipboard(text: string, note?: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(note ? `${text} (${note})` : text, 5000);
}

/** open shows where the content of an address is now: one that is given, one on the line of the cursor, or one that is asked for. */
async function open(given?: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor && addressIn(editor.document.lineAt(editor.selection.active.line).text, editor.selection.active.character);
  const address = given ?? here ?? await vscode.window.showInputBox({ prompt: "An address", placeHolder: "repo:m.py --lines 4:5@07407f1c" });
  if (address) {
    await execute("ctx.open", address);
  }
}

/** linked is a hover with commands behind its addresses. */
function linked(hover: vscode.Hover): vscode.Hover {
  const contents = hover.contents.map((c) => {
    if (typeof c === "string" || !("value" in c)) {
      return c;
    }
    const markdown = new vscode.MarkdownString(withCommands(c.value));
    markdown.isTrusted = { enabledCommands: ["ctx.copyText", "ctx.openAddress"] };
    return markdown;
  });
  return new vscode.Hover(contents, hover.range);
}
