import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { FORMATS } from "../../chapters/evidence/formats/index.ts";
import { EvidenceKind } from "../../chapters/records/evidence/evidence.ts";
import { importedPackages } from "../../scripts/imported-packages.ts";
import { program } from "../../src/cli.ts";
import { PROMPTS } from "../../src/guides/prompts.ts";
import { DOCS, docResources, READABLES } from "../../src/guides/resources.ts";
import { chapters } from "../../tools/index.ts";
import { PAGES, pageText, RECORDS, ROOT } from "../helpers/doc-blocks.ts";
import { unmatched } from "../helpers/doc-manifest.ts";

it("every block of the README and the pages is run by a named test, and no name is stale", () => {
  expect(unmatched()).toEqual({ unrun: [], stale: [] });
});

it("every tool, command, prompt and resource that a page names is there", () => {
  const tools = new Set(chapters.flatMap(({ operations }) => operations.map(({ name }) => name)));
  const prompts = new Set(PROMPTS.map(({ name }) => name));
  const commands = new Set(program().commands.map((command) => command.name()));
  const addresses = new Set([
    ...READABLES.map(({ address }) => address),
    ...docResources().map(({ uri }) => uri),
    `${DOCS}{page}`,
  ]);
  for (const page of PAGES) {
    const text = pageText(page);
    const called = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`(?= →|,? then| of a)|(?<=→\s)`([a-z]+(?:_[a-z]+)+)`/g)];
    for (const [, a, b] of called) expect(tools, page).toContain(a ?? b);
    for (const [, command = ""] of text.matchAll(/(?:^|`)svc ([a-z]+)/gm)) expect(commands, page).toContain(command);
    for (const [, address] of text.matchAll(/`(svc:\/\/[^`]+)`/g)) expect(addresses, page).toContain(address);
  }
  for (const name of prompts) expect(pageText("docs/connect.md")).toContain(`\`${name}\``);
  for (const address of READABLES.map((each) => each.address)) expect(pageText("docs/connect.md")).toContain(address);
});

it("every link between the pages leads to a file, and to a heading of it", () => {
  const anchors = (page: string) =>
    [...pageText(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const page of [...PAGES, ...RECORDS])
    for (const [, target = "", anchor] of pageText(page).matchAll(/\]\((?!https?:)([\w/.-]+)(?:#([\w-]+))?\)/g)) {
      const path = join(dirname(page), target);
      expect(existsSync(join(ROOT, path)), `${page} → ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchors(path), `${page} → ${target}`).toContain(anchor);
    }
});

it("every file and folder of ours that a page names is there", () => {
  const ours = /`((?:bench|bin|chapters|docs|scripts|src|store|test|tools|worlds)\/[\w./-]*)`/g;
  const named = PAGES.flatMap((page) => [...pageText(page).matchAll(ours)].map(([, path = ""]) => `${page}: ${path}`));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((each) => !existsSync(join(ROOT, each.slice(each.indexOf(": ") + 2))))).toEqual([]);
});

// Finding E22: sentences that stopped people who read them.
it("no page says again what readers did not understand", () => {
  const stopped =
    /equal one is spared|are found out|tells the rest|way through|now so, now otherwise|tells from a word|leads back no more|less met|in the way of one/;
  for (const page of PAGES) expect(stopped.exec(pageText(page))?.[0], page).toBeUndefined();
});

// Finding E24.
it("the README stays short, and every dependency has its reason and nothing else has", () => {
  expect(pageText("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  const { dependencies, devDependencies } = JSON.parse(pageText("package.json")) as Record<
    string,
    Record<string, string>
  >;
  const depended = new Set(Object.keys({ ...dependencies, ...devDependencies }));
  const reasoned = (page: string) =>
    [...(pageText(page).split("| dependency")[1] ?? "").split("\n\n")[0]!.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(
      ([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
    );
  const [all, those] = [reasoned("docs/dependencies.md"), reasoned("README.md")];
  for (const name of [...all, ...those]) expect(depended).toContain(name);
  for (const name of importedPackages(ROOT)) expect(all).toContain(name);
  expect(those.length).toBeGreaterThan(5);
});

it("the page of settings has every variable that the service reads, and none besides", () => {
  const variables = (text: string) => [...new Set(text.match(/\bSVC_[A-Z]+(?:_[A-Z]+)*\b/g))].sort();
  const [, table = ""] = /^\| variable.*\n((?:\|.*\n)+)/m.exec(pageText("docs/settings.md")) ?? [];
  expect(variables(table)).toEqual(variables(pageText("src/config.ts")));
});

it("the page of formats has every format that is read, and none besides", () => {
  const [, ...rows] = [...pageText("docs/formats.md").matchAll(/^\|(.+)\|$/gm)].map(([, row = ""]) => row.split("|"));
  const names = rows.flatMap((cells) => cells.slice(0, -1).flatMap((cell) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []));
  const kinds = new Set<string>(EvidenceKind.options);
  expect(names.filter((name) => !kinds.has(name)).sort()).toEqual(FORMATS.map(({ name }) => name).sort());
});

// Finding E23.
it("the glossary has at most 25 terms, each with one sentence", () => {
  const terms = [...pageText("docs/glossary.md").matchAll(/^\| (\*\*.+?) +\| (.+?) +\|$/gm)];
  expect(terms.length).toBeGreaterThan(15);
  expect(terms.length).toBeLessThanOrEqual(25);
  for (const [, term, text = ""] of terms) expect(text, term).toMatch(/^[A-Z][^.]*\.$/);
});

it("the page of architecture names every layer, and what it may import as the layer check has it", () => {
  const rules = pageText(".dependency-cruiser.cjs");
  const rows = new Map(
    [...pageText("docs/architecture.md").matchAll(/^\| `(\w+)\/` +\|[^|]*\|([^|]*)\|$/gm)].map(
      ([, name = "", may = ""]) => [name, may],
    ),
  );
  for (const [, layer = "", allowed = ""] of rules.matchAll(/\bonly\(\s*"(\w+)",\s*\[([^\]]*)\]/g)) {
    const may = (allowed.match(/\w+/g) ?? []).sort();
    const named = [...(rows.get(layer) ?? "").matchAll(/`(\w+)\/(?:\w+\.ts)?`/g)].map(([, name = ""]) => name).sort();
    expect(named, layer).toEqual(may);
  }
  expect([...rows.keys()].sort()).toEqual(["chapters", "src", "store", "test", "tools", "worlds"]);
});

it("every decision has a number of its own", () => {
  const names = RECORDS.flatMap((path) => /^docs\/decisions\/(.+)$/.exec(path)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
});
