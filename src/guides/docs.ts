import { readdirSync, readFileSync } from "node:fs";

/** A page of the documentation that is shipped along. */
export interface DocPage {
  /** Its file's name without the ending. */
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
  readonly text: string;
}

const FOLDER = new URL("../../docs/", import.meta.url);

let pages: readonly DocPage[] | undefined;

/** Every page, by name; read once. */
export function docPages(): readonly DocPage[] {
  pages ??= readdirSync(FOLDER)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), "utf8");
      const name = file.slice(0, -".md".length);
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
    });
  return pages;
}
