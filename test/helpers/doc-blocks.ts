import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The checkout. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** A fenced block of the README or a page of the documentation. */
export interface DocBlock {
  /** `docs/connect.md json 2`: its page, its language, and which of that language it is there. */
  readonly key: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** The README and every page of the documentation. */
export const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
];

/** A page's text. */
export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** Every fenced block, in order. Throws for one that says no language. */
export function docBlocks(): DocBlock[] {
  return PAGES.flatMap((page) => {
    const counts = new Map<string, number>();
    return [...pageText(page).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => {
      if (!/^[a-z]+$/.test(language)) throw new Error(`a block of ${page} says no language`);
      const n = (counts.get(language) ?? 0) + 1;
      counts.set(language, n);
      return { key: `${page} ${language} ${n}`, page, language, text };
    });
  });
}
