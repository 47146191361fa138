import { zstdCompressSync } from "node:zlib";
import { zipSync } from "fflate";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { afterAll, describe, expect, it } from "vitest";
import { once } from "../../../../chapters/evidence/reading/bytes.ts";
import { openEvidence } from "../../../../chapters/evidence/reading/evidence.ts";
import { createComputePool } from "../../../../src/jobs/pool.ts";
import { growth, LINEAR } from "../../../helpers/growth.ts";
import { read } from "./kit.ts";

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const HEADER = {
  version: 2,
  status: "success",
  eval: { task: "desk", model: "m-1", created: "2026-01-02T03:04:05Z" },
  plan: { steps: [] },
};
const sample = (id: number, content = "hi") => ({
  id,
  epoch: 1,
  target: "x",
  messages: [
    { role: "user", content },
    { role: "assistant", content: "", tool_calls: [{ id: "c", function: "get", arguments: { id } }] },
    { role: "tool", tool_call_id: "c", function: "get", content: "", error: { type: "timeout", message: "too slow" } },
    { role: "assistant", content: "Done." },
  ],
  scores: { match: { value: id === 1 ? "C" : "I" } },
});
const LOG = {
  "_journal/start.json": json({ version: 2, eval: { task: "begun" }, plan: {} }),
  "samples/1_epoch_1.json": json(sample(1)),
  "samples/2_epoch_1.json": json(sample(2)),
  "summaries.json": json([{ id: 1 }]),
  "header.json": json(HEADER),
};

/** An archive whose files are compressed by another method than zip's own; its directory names them too. */
function archive(method: number, files: Record<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, bytes] of Object.entries(files)) {
    const packed = method === 93 ? zstdCompressSync(bytes) : bytes;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(method, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(name.length, 26);
    parts.push(head, Buffer.from(name), packed);
  }
  return Buffer.concat([...parts, Buffer.from([0x50, 0x4b, 5, 6, ...Array(18).fill(0)])]);
}

describe("archives of evaluation logs", () => {
  it.each([
    ["deflate", zipSync(LOG)],
    ["Zstandard", archive(93, LOG)],
    ["no compression", archive(0, LOG)],
  ])("are read like the log's JSON (%s)", async (_name, bytes) => {
    const { format, traces, losses } = await read(bytes);
    const plain = await read({ ...HEADER, samples: [sample(1), sample(2)] });
    expect([format, losses]).toEqual(["inspect", plain.losses]);
    expect(traces).toEqual(plain.traces);
    expect(traces).toMatchObject([
      {
        labels: { task: "desk", model: "m-1", task_id: "1" },
        outcome: { reward: 1 },
        calls: [{ tool: "get", is_error: true }],
      },
      { outcome: { reward: 0 } },
    ]);
  });

  it("cut short while they were written are read from what they began with", async () => {
    const { "header.json": _none, ...begun } = LOG;
    const { traces } = await read(zipSync(begun));
    expect(traces.map((trace) => trace.labels.task)).toEqual(["begun", "begun"]);
  });

  it("of something else, broken ones and ones beyond measure are refused", async () => {
    await expect(read(zipSync({ "a.txt": json("x") }))).rejects.toThrow(/zip archive and no evaluation log/);
    const whole = zipSync(LOG);
    const broken = Buffer.from(whole);
    broken.fill(0xff, 60, 160);
    await expect(read(broken)).rejects.toMatchObject({ code: "bad_request" });
    await expect(read(zipSync({ ...LOG, "header.json": Buffer.from("{") }))).rejects.toThrow(/header/);
    const bomb = zipSync({ ...LOG, "samples/3_epoch_1.json": Buffer.alloc(65 * 1024 * 1024, 0x20) }, { level: 1 });
    await expect(read(bomb)).rejects.toMatchObject({ code: "too_large" });
  });

  it("refuse the sample with a secret, not the log", async () => {
    const key = `ghp_${"a1B2".repeat(9)}`;
    const { traces, refused } = await read(zipSync({ ...LOG, "samples/2_epoch_1.json": json(sample(2, key)) }));
    expect([traces.length, refused]).toEqual([1, [{ line: 2, reason: "holds a secret (github)" }]]);
  });
});

async function pdf(pages: readonly string[], title?: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  if (title !== undefined) document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) document.addPage().drawText(text, { x: 50, y: 700, size: 12, font });
  return document.save();
}

describe("PDF files", () => {
  const pool = createComputePool();
  afterAll(() => pool.close());

  it("are read page by page, here and on another thread", async () => {
    const file = await pdf(["Returns within 30 days.", "", "Refunds go to the card."], "Policy");
    const { format, document, refused } = await read(file, { type: "application/octet-stream" });
    expect([format, document]).toEqual([
      "pdf",
      { texts: [{ title: "Policy", text: "Returns within 30 days.\n\nRefunds go to the card." }], tables: [] },
    ]);
    expect(refused).toEqual([{ line: 2, reason: "a page without text" }]);
    const open = await openEvidence(once(file), {}, pool);
    expect(await open.document()).toEqual(document);
    expect((await read("Files that begin with %PDF- are PDFs.")).format).toBe("text");
    const single = await read(await pdf(["One page."]), { type: "application/pdf" });
    expect(single.document.texts).toEqual([{ text: "One page." }]);
  });

  it("refuse a page with a secret, and say what is wrong with a file", async () => {
    const secret = await read(await pdf([`token ghp_${"a1B2".repeat(9)}`, "Fine."]));
    expect([secret.document.texts, secret.refused]).toEqual([
      [{ text: "Fine." }],
      [{ line: 1, reason: "holds a secret (github)" }],
    ]);
    await expect(read(Buffer.from("%PDF-1.7\nnothing"))).rejects.toThrow("The PDF is damaged or cut off.");
    const whole = await pdf(["x"]);
    const open = await openEvidence(once(Buffer.from("not a PDF at all")), { type: "application/pdf" });
    expect(open.format.name).toBe("text");
    await expect(openEvidence(once(whole.subarray(0, 40)), {}, pool)).rejects.toThrow("The PDF is damaged or cut off.");
  });
});

describe("HTML documents", () => {
  it("are read as their words, headings, lists and tables", async () => {
    const page = `<!doctype html><html><head><title>Help &amp; more</title><style>p{}</style><script>var secret = 1;</script></head>
<body><nav><a>Home</a></nav><h1>Returns</h1><p>Within <b>30</b>
 days &lt;only&gt;.</p><ul><li>Unused</li><li>In its box</li></ul>
<table><tr><th>Item</th><th>Days</th></tr><tr><td>Shoes</td><td>30</td></tr></table><img src=x><pre>a  b</pre></body></html>`;
    const { format, document, losses } = await read(page);
    expect(format).toBe("html");
    expect(document.texts).toEqual([
      {
        title: "Help & more",
        text: "# Returns\n\nWithin 30 days <only>.\n\n- Unused\n- In its box\n\n| Item | Days |\n| Shoes | 30 |\n\n```\na  b\n```",
      },
    ]);
    expect(losses).toEqual({ image: 1 });
    for (const [text, type] of [
      ["<div><p>Plain part</p></div>", undefined],
      ["Plain part", "text/html"],
      ["<html><body>Plain part", undefined],
    ] as const) {
      const part = await read(text, type === undefined ? {} : { type });
      expect([part.format, part.document.texts[0]?.text]).toEqual(["html", "Plain part"]);
    }
    expect((await read("<plan> is what we call it")).format).toBe("text");
    expect((await read("<html><body></body></html>")).document.texts).toEqual([]);
  });

  it("are read in time that grows with their length, however they are written", async () => {
    for (const open of ["<div>", "<div a='<'>", "<table><tr><td>", "<div></span>"]) {
      const refused = (n: number) =>
        expect(read(`<html>${open.repeat(n * 50_000)}deep`)).rejects.toThrow(/too many elements open/);
      expect(await growth(refused), open).toBeLessThan(LINEAR);
    }
    for (const page of [
      (n: number) => `<html>${"<p>x".repeat(n * 12_500)}`,
      (n: number) => `<html><p>x${"<!--".repeat(n * 50_000)}`,
      (n: number) => `<html><p>x</p>${"<a ".repeat(n * 50_000)}`,
      (n: number) => `<html>${"<div>".repeat(n * 225)}x`,
    ]) {
      const readPage = async (n: number) => expect((await read(page(n))).document.texts[0]?.text[0]).toBe("x");
      expect(await growth(readPage), page(1).slice(0, 30)).toBeLessThan(LINEAR);
    }
    await expect(read(`<html>${"x".repeat(5_000_000)}`)).rejects.toMatchObject({ code: "too_large" });
  });
});

// Finding S6.
it("content that nests without end is a 400, whatever its shape, and one such line is passed over", async () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  for (const body of [
    deep(100_000),
    "[".repeat(5_000_000),
    `{"messages":{"a":${deep(1_000_000)}}}`,
    `[${deep(2_000)}]`,
  ])
    await expect(read(Buffer.from(body))).rejects.toMatchObject({ code: "bad_request" });
  const good = JSON.stringify({
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: "[[[" },
    ],
  });
  const lines = [good, `{"messages":${deep(50_000)}}`, good].join("\n");
  const { traces, refused } = await read(Buffer.from(lines));
  expect(traces).toHaveLength(2);
  expect(refused).toMatchObject([{ line: 2 }]);
});
