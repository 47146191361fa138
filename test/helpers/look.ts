import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The widths at which pages are looked at: a phone, a tablet, a desk, pixels. */
export const WIDTHS = [360, 768, 1440] as const;

/** Serious and critical findings of axe-core, by rule and place. The page's context has to let scripts in. */
export async function axe(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    type Result = { violations: { id: string; impact: string; nodes: { target: string[] }[] }[] };
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<Result> } }).axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
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
