/**
 * Other people's text made fit for a message: one line, cut, without control or direction characters, and with a
 * zero-width space where a channel would make a link, a mention or a reference of it. It reads the same and does nothing.
 */
export function inert(text: string, most = 120): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  const cut = [...line].length > most ? `${[...line].slice(0, most - 1).join("")}…` : line;
  return cut
    .replace(/:\/\//g, `:${GAP}//`)
    .replace(/\b(www|mailto|tel)(?=[.:])/gi, `$1${GAP}`)
    .replace(/@/g, `@${GAP}`)
    .replace(/<(?=\S)/g, `<${GAP}`)
    .replace(/#(?=\d)/g, `#${GAP}`)
    .replace(/(?<=[\p{L}\d])\.(?=\p{L}{2})/gu, `.${GAP}`);
}

const GAP = "\u200b";
