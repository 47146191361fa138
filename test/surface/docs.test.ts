import { expect, it } from "vitest";
import { program } from "../../src/cli.ts";
import { PROMPTS } from "../../src/guides/prompts.ts";
import { DOCS, docResources, READABLES } from "../../src/guides/resources.ts";
import { chapters } from "../../tools/index.ts";
import { PAGES, pageText } from "../helpers/doc-blocks.ts";
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

it("every link between the pages leads to a page, and to a heading of it", () => {
  const anchors = (page: string) =>
    [...pageText(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const page of PAGES)
    for (const [, target = "", anchor] of pageText(page).matchAll(/\]\(([\w/.-]+\.md)(?:#([\w-]+))?\)/g)) {
      const path = page.startsWith("docs/") ? `docs/${target}` : target;
      expect(PAGES, `${page} → ${target}`).toContain(path);
      if (anchor !== undefined) expect(anchors(path), `${page} → ${target}`).toContain(anchor);
    }
});

it("the README stays readable, and gives a reason for every dependency and for nothing else", () => {
  expect(pageText("README.md").split("\n").length).toBeLessThan(400);
  const { dependencies, devDependencies } = JSON.parse(pageText("package.json")) as Record<
    string,
    Record<string, string>
  >;
  const depended = new Set(Object.keys({ ...dependencies, ...devDependencies }));
  const table = pageText("README.md").split("| dependency")[1] ?? "";
  const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
  );
  for (const name of named) expect(depended).toContain(name);
  for (const name of Object.keys(dependencies ?? {})) expect(named).toContain(name);
});
