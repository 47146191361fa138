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
  /** Why no test can run it as it stands: it needs another host, or a person. */
  readonly noRun?: string;
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

/** Every fenced block, in order: its language, and `no-run: WHY` after it. Throws for one that begins otherwise. */
export function docBlocks(): DocBlock[] {
  return PAGES.flatMap((page) => {
    const counts = new Map<string, number>();
    return [...pageText(page).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""]) => {
      const [, language, noRun] = /^([a-z]+)(?: no-run: (\S.*))?$/.exec(info) ?? [];
      if (language === undefined)
        throw new Error(`a block of ${page} begins with neither a language nor a reason: ${info}`);
      const n = (counts.get(language) ?? 0) + 1;
      counts.set(language, n);
      return { key: `${page} ${language} ${n}`, page, language, text, ...(noRun === undefined ? {} : { noRun }) };
    });
  });
}
