/** live matches addresses that follow their content. */
const live = /repo:[^\s`]+ --lines \d+:\d+@[0-9a-f]{8}/g;

/** addressIn is the address in a line of text that holds a column, or the only one there. */
export function addressIn(line: string, column: number): string | undefined {
  const all = [...line.matchAll(live)];
  const at = all.find((m) => m.index <= column && column <= m.index + m[0].length);
  return (at ?? (all.length === 1 ? all[0] : undefined))?.[0];
}

/** withCommands adds links that copy and open each live address of a hover. */
export function withCommands(markdown: string): string {
  return markdown.replace(/^live: `(repo:[^`]+)`$/gm, (line, address: string) => {
    const argument = encodeURIComponent(JSON.stringify([address]));
    return `${line} · [copy](command:ctx.copyText?${argument}) · [open](command:ctx.openAddress?${argument})`;
  });
}
