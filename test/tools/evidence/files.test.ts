import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { expect } from "vitest";
import { pdfPages } from "../../../chapters/evidence/reading/pdf-pages.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { chapters, lines, TOKEN, trial } from "./kit.ts";

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

async function pdf(text: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle("Policy");
  const font = await document.embedFont(StandardFonts.Helvetica);
  document.addPage().drawText(text, { x: 50, y: 700, size: 12, font });
  return document.save();
}

bothSurfaces(
  "files that are no text are sent as base64 and read as what they are",
  async (invoke, t) => {
    const paper = await pdf("Returns within 30 days.");
    const document = await invoke("evidence_post", { content: base64(paper) });
    expect([document.status, document.body.format, document.body.document]).toEqual([
      201,
      "pdf",
      { title: "Policy", texts: 1, chars: 23 },
    ]);
    await expect(pdfPages(paper, 10)).rejects.toMatchObject({ code: "too_large" });
    expect(await pdfPages(paper)).toMatchObject([{ page: 1, text: "Returns within 30 days." }]);
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "Hello." },
    ];
    const log = zipSync({
      "header.json": json({ version: 2, eval: { task: "desk" }, plan: {} }),
      "samples/1_epoch_1.json": json({ id: 1, epoch: 1, target: "", messages }),
    });
    const logged = await invoke("evidence_post", { content: base64(log) });
    expect([logged.body.format, logged.body.admitted, logged.body.provenance_kind]).toEqual([
      "inspect",
      1,
      "synthetic",
    ]);
    const packed = await invoke("evidence_post", { content: base64(gzipSync(lines([trial(1, 1)]))) });
    expect([packed.body.format, packed.body.admitted]).toEqual(["tau-bench", 1]);
    const raw = await t.app.rest("POST", "/v0/evidence", await pdf("Sent as it is."), t.org.push, {
      "content-type": "application/pdf",
    });
    expect([raw.status, raw.body.format]).toEqual([201, "pdf"]);
    const broken = await invoke("evidence_post", { content: base64(paper.subarray(0, 60)) });
    expect([broken.status, broken.body.reason]).toEqual([400, "The PDF is damaged or cut off."]);
    expect((await invoke("evidence_post", { content: "H4sI is how gzip begins." })).body.format).toBe("text");
  },
  { chapters },
);

bothSurfaces(
  "a capture of HTTP exchanges is stored without credentials, as its data access says",
  async (invoke) => {
    const entry = (path: string, body: unknown, authorization = "Bearer planted-credential") => ({
      startedDateTime: "2026-01-02T03:04:05Z",
      request: {
        method: "GET",
        url: `https://shop.example${path}`,
        headers: [{ name: "Authorization", value: authorization }],
      },
      response: { status: 200, headers: [], content: { mimeType: "application/json", text: JSON.stringify(body) } },
    });
    const entries = [entry("/orders/7", { id: 7, email: "ann.smith@shop.example" }), entry("/notes", { note: TOKEN })];
    const content = { log: { version: "1.2", entries } };
    const posted = await invoke("evidence_post", { content });
    expect(posted.body).toMatchObject({
      kind: "http_capture",
      format: "har",
      admitted: 1,
      line: "1 exchange, read as har; 1 refused.",
      stats: { calls: 1, stripped_credentials: 2 },
      refused: [{ line: 2, reason: "holds a secret (github)" }],
    });
    const listed = await invoke("evidence_list", { kind: "http_capture" });
    expect(listed.body.evidence.map((each: { id: string }) => each.id)).toEqual([posted.body.id]);
    expect((await invoke("evidence_toolspec", { eid: posted.body.id })).status).toBe(422);
    const anonymized = await invoke("evidence_post", { content, data_access: "anonymized" });
    expect(anonymized.body).toMatchObject({ admitted: 1, data_access: "anonymized" });
    expect(anonymized.body.id).not.toBe(posted.body.id);
    const nothing = await invoke("evidence_post", { content: { log: { entries: [entry("/x", { note: TOKEN })] } } });
    expect([nothing.status, nothing.body.reason]).toEqual([
      422,
      "Nothing could be taken; 1 refused. The first, item 1: holds a secret (github).",
    ]);
  },
  { chapters },
);
