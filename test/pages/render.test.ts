import { parse } from "node-html-parser";
import { expect, it } from "vitest";
import { PageDoc, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { renderPage } from "../../src/pages/render.ts";

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>"';--> &amp;`;
const tier = "deterministic" as const;
const told = { heading: HOSTILE, caption: HOSTILE, tier };

/** One of each kind of section, every text of which is hostile. */
const SECTIONS: PageSection[] = [
  { show: "text", heading: HOSTILE, paragraphs: [HOSTILE] },
  {
    show: "markdown",
    markdown: `${HOSTILE}\n\n[away](https://elsewhere.example/) ![pixel](https://elsewhere.example/p.png) <https://elsewhere.example> **bold**`,
  },
  { show: "facts", facts: [{ name: HOSTILE, value: HOSTILE, tier, how: HOSTILE }] },
  {
    show: "table",
    ...told,
    columns: [{ name: HOSTILE }, { name: "n", kind: "number" }],
    rows: [[{ text: HOSTILE, tone: "bad" }, 3]],
    of: 9,
  },
  {
    show: "rates",
    ...told,
    rows: [
      { name: HOSTILE, rate: 0.5, low: 0.2, high: 0.8, n: 10 },
      { name: "none", low: 0, high: 1, n: 0 },
    ],
  },
  { show: "pairs", ...told, before: HOSTILE, after: `${HOSTILE}2`, tasks: [{ name: HOSTILE, before: 1, after: 0 }] },
  { show: "shares", ...told, outcomes: [{ name: HOSTILE, tone: "good" }], rows: [{ name: HOSTILE, counts: [3] }] },
  {
    show: "timeline",
    ...told,
    steps: [
      {
        n: 1,
        who: HOSTILE,
        title: HOSTILE,
        badge: HOSTILE,
        ms: 1.2,
        detail: HOSTILE,
        changes: [HOSTILE],
        values: [{ name: HOSTILE, value: { [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE }] } }],
        took: [HOSTILE],
        decided: [{ text: HOSTILE, tone: "bad" }],
      },
    ],
  },
  {
    show: "sides",
    ...told,
    a: HOSTILE,
    b: HOSTILE,
    rows: [
      {
        a: { title: HOSTILE, badge: HOSTILE, tone: "bad", answer: { value: { [HOSTILE]: HOSTILE } } },
        what: HOSTILE,
        differences: [{ path: HOSTILE, a: HOSTILE }],
        text: [{ text: HOSTILE, only: "a" }],
      },
    ],
  },
  {
    show: "heat",
    ...told,
    rows: [HOSTILE, "b"],
    columns: [HOSTILE],
    cells: [
      { row: 0, column: 0, n: 7 },
      { row: 1, column: 0, n: 0, gap: true },
    ],
  },
  {
    show: "graph",
    ...told,
    kinds: [HOSTILE, "other"],
    nodes: [
      { id: "a", kind: HOSTILE, label: HOSTILE },
      { id: "b", kind: "other", label: "b" },
    ],
    edges: [
      { from: "a", to: "b", kind: HOSTILE },
      { from: "a", to: "nowhere", kind: "lost" },
    ],
  },
  { show: "days", ...told, unit: HOSTILE, days: [{ day: "2026-11-20", part: HOSTILE, value: 2 }] },
];

function doc(sections: PageSection[], extra: Partial<PageDoc> = {}): PageDoc {
  return PageDoc.parse({ v: 1, title: HOSTILE, made_at: 1_795_000_000, sections, ...extra });
}

it("has a sample of every kind of section", () => {
  expect(SECTIONS.map(({ show }) => show).sort()).toEqual(
    PageSection.options.map((option) => option.shape.show.value).sort(),
  );
});

it.each(SECTIONS.map((section) => [section.show, section] as const))(
  "shows other people's text in %s as text",
  async (_show, section) => {
    const html = await renderPage(doc([section], { verdict: { text: HOSTILE, tone: "bad", tier, how: HOSTILE } }));
    expect(html).not.toMatch(/<script|<img|<iframe|<object|<link\b|onerror=(?![^<]*&)/i);
    expect(html).not.toMatch(/<a\s[^>]*href="https?:/);
    expect(html.replace(/xmlns(?::xlink)?="http:\/\/www\.w3\.org\/[^"]*"/g, "")).not.toMatch(
      /(?:src|href|url\()\s*=?\s*["']?(?:https?:)?\/\//,
    );
    expect(html).toContain("alert(1)");
  },
);

it("says of every table and plot how its numbers were made, and shows a plot for a phone and for a page", async () => {
  for (const section of SECTIONS) {
    const html = await renderPage(doc([section]));
    if ("tier" in section) expect(html).toContain("(tier: deterministic)");
    const drawn = ["rates", "pairs", "shares", "graph", "days"].includes(section.show);
    expect(html.match(/<svg/g)?.length ?? 0).toBe(drawn ? 2 : 0);
  }
});

it("cuts long names so that two which differ at their end stay apart, on a phone too", async () => {
  const rows = ["1", "2"].map((version) => ({
    name: `the desk agent of the northern branch ${version} (n 20)`,
    ...{ rate: 0.5, low: 0.4, high: 0.6, n: 20 },
  }));
  const html = await renderPage(doc([{ show: "rates", ...told, rows }]));
  const names = [...html.matchAll(/<text[^>]*>([^<]*\(n 20\))<\/text>/g)].map(([, text]) => text);
  expect(names.some((name) => name?.includes("…"))).toBe(true);
  expect([names.length, new Set(names.slice(0, 2)).size, new Set(names.slice(2)).size]).toEqual([4, 2, 2]);
  const tools = ["find_customer_by_email", "find_customer_by_name"];
  const nodes = tools.map((id) => ({ id, kind: "operation", label: id }));
  const graph = await renderPage(doc([{ show: "graph", ...told, kinds: ["operation", "object"], nodes, edges: [] }]));
  const shown = [...graph.matchAll(/<text[^>]*>(find_[^<]*)<\/text>/g)].map(([, text]) => text);
  expect([shown.length, new Set(shown.slice(0, 2)).size, new Set(shown.slice(2)).size]).toEqual([4, 2, 2]);
});

it("draws a reference between two of a kind with an arrowhead at the one referred to", async () => {
  const nodes = ["orders", "customers"].map((id) => ({ id, kind: "object", label: id }));
  const edges = [{ from: "orders", to: "customers", kind: "refers to" }];
  const html = await renderPage(doc([{ show: "graph", ...told, kinds: ["object"], nodes, edges }]));
  const [line, head] = [...html.matchAll(/ d="(M[^"]+)"/g)].map(([, d]) => d ?? "");
  const [tip] = /(?<=^M)\S+ \S+(?=l)/.exec(head ?? "") ?? [];
  const [x = 0, y] = tip?.split(" ").map(Number) ?? [];
  expect(line).toMatch(new RegExp(` ${y}H${x + 6}$`));
});

it("says once how most of a page was made, and beside it what was made otherwise", async () => {
  const human = { show: "table", caption: "Notes", tier: "human", columns: [{ name: "Note" }], rows: [["x"]] } as const;
  const facts = ["a", "b"].map((name) => ({ name, value: 1, tier, how: "counted" }));
  const text = (html: string) => html.replace(/<style>.*<\/style>/s, "").replace(/<[^>]*>/g, " ");
  const mixed = text(
    await renderPage(
      doc([
        { show: "facts", facts },
        { ...human, columns: [...human.columns], rows: [] },
      ]),
    ),
  );
  expect(mixed).toContain("How it was made, where nothing else is said: Computed by code");
  expect(mixed.match(/Said by a person \(tier: human\)/g)).toHaveLength(1);
  expect(mixed.match(/deterministic/g)).toHaveLength(1);
});

it("marks a day of nothing as 0, and what a day is held against as a line with its name", async () => {
  const days = [
    { day: "2026-11-19", part: "run", value: 2 },
    { day: "2026-11-20", part: "run", value: 0 },
  ];
  const section = { show: "days", caption: "Spend", tier, unit: "US dollars", days } as const;
  const words = async (more: object) => {
    const html = await renderPage(doc([{ ...section, days: [...days], ...more }]));
    return [...html.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  };
  expect((await words({})).filter((text) => text === "0")).toHaveLength(2);
  expect(await words({ limit: { name: "budget", value: 1 } })).toContain("budget");
});

it("is a page that needs nothing: no script, a policy that allows none, not for search engines", async () => {
  const html = await renderPage(doc(SECTIONS));
  expect(html).toContain(`http-equiv="Content-Security-Policy" content="default-src 'none'`);
  expect(html).toContain('name="robots" content="noindex"');
  expect(html).toContain("The first 1 of 9 rows.");
});

it("shows JSON as a tree whose text is the same JSON, and opens what is small and what a check failed at", async () => {
  const value = {
    id: "A",
    lines: [
      { sku: "x", note: "y".repeat(80) },
      { sku: "z", list: [1, null, true, []] },
    ],
    empty: {},
  };
  const big = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`field_${i}`, { at: i }]));
  const step = (n: number, shown: unknown) => ({ n, who: "t", title: "", values: [{ name: "Answer", value: shown }] });
  const failed = { ...step(3, big), decided: [{ text: "not met", tone: "bad" as const }] };
  const section = { show: "timeline" as const, ...told, steps: [step(1, value), step(2, big), failed] };
  const root = parse(await renderPage(doc([section]), { search: "" }));
  const trees = root.querySelectorAll(".json");
  expect(trees.map((tree) => JSON.parse(tree.text))).toEqual([value, big, big]);
  const open = root.querySelectorAll("ol.timeline > li > details").map((each) => each.hasAttribute("open"));
  expect(open).toEqual([true, false, true]);
  expect(root.querySelectorAll("ol.timeline > li").map((each) => each.id)).toEqual(["step-1", "step-2", "step-3"]);
  expect(root.querySelector("form[role=search] input[name=q]")).not.toBeNull();
  expect(parse(await renderPage(doc([section]))).querySelector("form")).toBeNull();
});

// Finding E42.
it("draws a waterfall where times are known, by when steps ended or by how long each took", async () => {
  const rows = async (steps: object[]) => {
    const section = {
      show: "timeline" as const,
      ...told,
      steps: steps.map((step, i) => ({ n: i + 1, who: "w", title: "", ...step })),
    };
    const root = parse(await renderPage(doc([section])));
    return root.querySelectorAll("table.waterfall tbody tr").map((row) => {
      const bar = row.querySelector("rect");
      return [
        bar?.getAttribute("x"),
        bar?.getAttribute("width"),
        ...row.querySelectorAll("td.n").map(({ text }) => text),
      ];
    });
  };
  expect(await rows([{ at: 0 }, { at: 2500, ms: 2500 }, { at: 10_000, ms: 7500 }])).toEqual([
    ["0.00", "0.60", "0 ms", ""],
    ["0.00", "25.00", "0 ms", "2.5 s"],
    ["25.00", "75.00", "2.5 s", "7.5 s"],
  ]);
  expect(await rows([{}, { ms: 250 }, { ms: 750 }])).toEqual([
    ["0.00", "25.00", "0 ms", "250 ms"],
    ["25.00", "75.00", "250 ms", "750 ms"],
  ]);
  expect(await rows([{}, { ms: 250 }, {}])).toEqual([]);
});

it("says that made-up data is made up, and follows links only where the reader can", async () => {
  const linked = doc([
    {
      show: "table",
      caption: "c",
      tier,
      columns: [{ name: "x" }],
      rows: [[{ text: "open it", link: { page: "trial", id: "t1" } }]],
    },
  ]);
  expect(await renderPage(linked)).not.toContain("<a");
  expect(await renderPage(linked, { link: ({ page, id }) => `/console/${page}/${id}` })).toContain(
    '<a href="/console/trial/t1" class="t">open it</a>',
  );
  expect(await renderPage({ ...linked, invented: true })).toContain("made-up data");
  expect(await renderPage(linked)).not.toContain("made-up data");
});
