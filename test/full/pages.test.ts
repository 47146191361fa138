import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PageDoc, PageLink } from "../../chapters/findings/pages/page-doc.ts";
import { renderPage } from "../../src/pages/render.ts";
import { axe, tooWide, WIDTHS } from "../helpers/look.ts";
import { deskPages } from "./pages-workspace.ts";

/** Where pictures go for people to look at: a temporary folder, unless one is named. */
const PICTURES = process.env.SVC_PICTURES ?? mkdtempSync(join(tmpdir(), "svc-pages-"));
const NAMES = [
  "home",
  "group",
  "compare",
  "trial",
  "packet",
  "provider",
  "coverage",
  "ontology",
  "fidelity",
  "spend",
  "weekly",
  "written",
] as const;

let docs: Record<string, PageDoc>;
let browser: Browser;
beforeAll(async () => {
  docs = await deskPages();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});
afterAll(async () => {
  await browser?.close();
});

const link = ({ page, id }: PageLink) => `/${page}/${encodeURIComponent(id)}`;

interface Seen {
  readonly colorScheme?: "light" | "dark";
  /** Lets a test bring its own script into the page. */
  readonly bypassCSP?: boolean;
}

/** A page in Chromium as a reader without our scripts has it; what it asks for and complains of is kept. */
async function opened(name: string, { colorScheme = "light", bypassCSP = false }: Seen = {}) {
  const doc = docs[name];
  if (!doc) throw new Error(`there is no page ${name}`);
  const context = await browser.newContext({ colorScheme, bypassCSP });
  const page = await context.newPage();
  const asked: string[] = [];
  const said: string[] = [];
  await page.route("**/*", (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(error.message));
  await page.setContent(await renderPage(doc, { link }), { waitUntil: "load" });
  return { page, asked, said, close: () => context.close() };
}

/** Texts of a drawing that reach beyond it, or lie on one another. */
function crowded(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("svg")].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      if (frame.width === 0) return [];
      const texts = [...svg.querySelectorAll("text")]
        .filter((text) => text.textContent !== "" && getComputedStyle(text).opacity !== "0")
        .map((text) => ({ said: text.textContent ?? "", box: text.getBoundingClientRect() }));
      const outside = texts.filter(
        ({ box }) => box.left < frame.left - 2 || box.right > frame.right + 2 || box.bottom > frame.bottom + 2,
      );
      const over = texts.flatMap((a, i) =>
        texts.slice(i + 1).flatMap((b) => {
          const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
          const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          return across > 3 && down > 5 ? [`${a.said} on ${b.said}`] : [];
        }),
      );
      return [...outside.map(({ said }) => `${said} is cut`), ...over];
    }),
  );
}

describe.each(NAMES)("the page %s", (name) => {
  it("asks for nothing, complains of nothing, fits every width, and starts with its verdict", async () => {
    const { page, asked, said, close } = await opened(name);
    try {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect(await tooWide(page), `${width} px`).toEqual([]);
        expect(await crowded(page), `${width} px`).toEqual([]);
        // A person's own words have no verdict of ours: who wrote them stands first.
        const first = await page
          .locator(docs[name]?.verdict ? ".verdict" : "main section p")
          .first()
          .boundingBox();
        expect(first && first.y + first.height, `${width} px`).toBeLessThan(800);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        }
      }
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 700, height: 900 });
      expect(await page.locator(".verdict").count()).toBe(docs[name]?.verdict ? 1 : 0);
      expect(await page.locator("figure .plot-narrow:visible").count()).toBe(0);
      expect({ asked, said }).toEqual({ asked: [], said: [] });
    } finally {
      await close();
    }
  });

  it.each(["light", "dark"] as const)("has nothing for axe to find in %s", async (scheme) => {
    const { page, close } = await opened(name, { colorScheme: scheme, bypassCSP: true });
    try {
      await page.setViewportSize({ width: 1000, height: 800 });
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      const found = await axe(page);
      expect(found).toEqual([]);
    } finally {
      await close();
    }
  });

  it("lets the keyboard reach every link, list of numbers and region that scrolls", async () => {
    const { page, close } = await opened(name);
    try {
      await page.setViewportSize({ width: 360, height: 800 });
      const wanted = await page.evaluate(
        () =>
          [...document.querySelectorAll("main a[href], main summary, main .scroll, main pre")].filter((each) =>
            each.checkVisibility(),
          ).length,
      );
      const reached = new Set<string>();
      for (let i = 0; i < wanted + 5; i++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const focused = document.activeElement;
          if (!focused || focused === document.body) return null;
          const all = [...document.querySelectorAll("*")];
          return `${all.indexOf(focused)} ${focused.tagName} ${getComputedStyle(focused).outlineStyle}`;
        });
        if (at !== null) reached.add(at);
      }
      expect(reached.size).toBeGreaterThanOrEqual(wanted);
      expect([...reached].filter((at) => at.endsWith(" none"))).toEqual([]);
    } finally {
      await close();
    }
  });
});
