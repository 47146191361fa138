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

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);

/** The README, what contributors read, and every page of the documentation: they say how things are now. */
export const PAGES: readonly string[] = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...markdownIn("docs")];

/** What was decided and what changed: they say how things were then. */
export const RECORDS: readonly string[] = ["CHANGELOG.md", ...markdownIn("docs/decisions")];

/** A page's text. */
export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** What a page draws: there is nothing to run. */
const PICTURE = "mermaid";

/** Every fenced block but pictures, in order: its language, and `no-run: WHY` after it. Throws for one that begins otherwise. */
export function docBlocks(): DocBlock[] {
  return [...PAGES, ...RECORDS].flatMap((page) => {
    const counts = new Map<string, number>();
    return [...pageText(page).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, info = "", text = ""]) => {
      const [, language, noRun] = /^([a-z]+)(?: no-run: (\S.*))?$/.exec(info) ?? [];
      if (language === undefined)
        throw new Error(`a block of ${page} begins with neither a language nor a reason: ${info}`);
      if (language === PICTURE) return [];
      const n = (counts.get(language) ?? 0) + 1;
      counts.set(language, n);
      return [{ key: `${page} ${language} ${n}`, page, language, text, ...(noRun === undefined ? {} : { noRun }) }];
    });
  });
}
