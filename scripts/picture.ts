import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { run } from "../src/evaluate/index.ts";

// Evaluates the sample and takes the README's picture of what comes out: docs/verdict.png.
const SIZE = { width: 860, height: 640 };
const folder = mkdtempSync(join(tmpdir(), "svc-picture-"));
try {
  process.env.SVC_DATA_DIR = join(folder, "data");
  await run(["--out", folder]);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
    await page.goto(pathToFileURL(join(folder, "evaluation.html")).href);
    await page.screenshot({ path: "docs/verdict.png" });
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
