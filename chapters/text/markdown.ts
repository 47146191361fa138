/** Text from people or evidence as Markdown: it becomes no link, image, mention, markup or table cell of its own. */
export function escapeText(text: string, most = 80): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = line.length > most ? `${line.slice(0, most)}…` : line;
  return cut
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_{}[\]()#+!|~]/g, (character) => `\\${character}`)
    .replace(/@/g, "@\u200b")
    .replace(/:\/\//g, ":\\/\\/");
}
