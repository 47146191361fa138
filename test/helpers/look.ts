import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The widths at which pages are looked at: a phone, a tablet, a desk, pixels. */
export const WIDTHS = [360, 768, 1440] as const;

/** All findings of axe-core, of whatever impact, by rule and place. The page's context has to let scripts in. */
export async function axe(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    type Result = { violations: { id: string; impact: string | null; nodes: { target: string[] }[] }[] };
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<Result> } }).axe.run();
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target }) => `${impact} ${id}: ${target.join(" ")}`),
    );
  });
}

/** What is wider than the window and no region that scrolls holds. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    return [...document.querySelectorAll("main *")]
      .filter((each) => each.getBoundingClientRect().right > wide && !each.closest(".scroll"))
      .map((each) => `${each.tagName} ${each.textContent?.slice(0, 40)}`)
      .concat("the document");
  });
}

/**
 * Expects of a page that lies in a file, in Chromium: its verdict in the first screen at every width, nothing cut,
 * nothing for axe to find.
 */
export async function expectReadable(path: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await (await browser.newContext({ colorScheme, bypassCSP: true })).newPage();
      await page.goto(pathToFileURL(path).href);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect(await tooWide(page), `${width} px`).toEqual([]);
        const verdict = await page.locator(".verdict").boundingBox();
        expect(verdict && verdict.y + verdict.height, `${width} px`).toBeLessThan(800);
      }
      expect(await axe(page)).toEqual([]);
    }
  } finally {
    await browser.close();
  }
}
