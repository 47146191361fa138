import { globSync, readFileSync } from "node:fs";
import { parse } from "node-html-parser";
import { type ComponentChild, Fragment, h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { expect, it } from "vitest";
import {
  block,
  choice,
  getForm,
  hidden,
  longField,
  postForm,
  shownOnce,
  textField,
  tick,
} from "../../src/console/forms.ts";
import { page } from "../../src/pages/html.ts";

const HOSTILE = `"><script>alert(1)</script><b onclick='x'>&amp;\${1}\``;

const FORMS: Readonly<Record<string, [made: ComponentChild, elements: string[], places: number]>> = {
  hidden: [hidden(HOSTILE, HOSTILE), ["input"], 2],
  textField: [textField("n", HOSTILE, { value: HOSTILE }), ["div", "label", "input"], 2],
  longField: [longField(HOSTILE, HOSTILE), ["div", "label", "textarea"], 2],
  choice: [choice("n", HOSTILE, [{ value: HOSTILE, text: HOSTILE }]), ["div", "label", "select", "option"], 3],
  tick: [tick(HOSTILE, HOSTILE, true), ["label", "input"], 2],
  getForm: [getForm(HOSTILE, HOSTILE, HOSTILE), ["form", "button"], 3],
  postForm: [postForm({ token: HOSTILE }, "/x", HOSTILE, null, { name: HOSTILE }), ["form", "input", "button"], 3],
  block: [block(HOSTILE, HOSTILE, [HOSTILE]), ["section", "h2"], 2],
  toldOnce: [shownOnce(HOSTILE, HOSTILE), ["div", "p", "pre"], 2],
};

it.each(Object.entries(FORMS))("%s shows what others wrote as text, in fields and in attributes", (_, form) => {
  const [made, elements, places] = form;
  const html = renderToStaticMarkup(h(Fragment, null, made));
  const all = parse(html).querySelectorAll("*");
  expect(all.map(({ rawTagName }) => rawTagName)).toEqual(elements);
  const texts = all.flatMap((each) => [...Object.values(each.attributes), each.text]);
  expect(texts.filter((text) => text.includes(HOSTILE)).length).toBeGreaterThanOrEqual(places);
});

it("a page is the same each time, though templates share what does not change in them", () => {
  const made = () => page("Twice", [block("One", shownOnce("a", "b")), block("Two", shownOnce("a", "b"))]);
  expect(made()).toBe(made());
  expect(made().match(/It is shown this once\./g)).toHaveLength(2);
});

it("templates name their elements themselves, and three places alone hold markup that was made elsewhere", () => {
  const root = new URL("../..", import.meta.url).pathname;
  const all = globSync("{src,chapters}/**/*.ts", { cwd: root }).sort();
  const files = all.map((file) => ({ file, text: readFileSync(root + file, "utf8") }));
  const templates = files.filter(({ text }) => text.includes('from "htm/preact"'));
  expect(templates.length).toBeGreaterThan(10);
  const holding = (words: string) => templates.flatMap(({ file, text }) => (text.includes(words) ? [file] : []));
  expect(holding("<${"), "an element named by a value").toEqual([]);
  expect(holding("InnerHTML")).toEqual(["src/pages/figure.ts", "src/pages/html.ts", "src/pages/render.ts"]);
});
