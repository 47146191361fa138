import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerClass, errorShape, isPlainlyData, jsonStyle, parseResult } from "../../worlds/answers.ts";
import { parsePythonLiteral } from "../../worlds/python-literal.ts";

describe("parseResult", () => {
  it("reads JSON text, and its spacing and indent", () => {
    const spaced = parseResult('{"a": 1, "b": [1, 2]}');
    expect(spaced).toMatchObject({ value: { a: 1, b: [1, 2] }, form: "json" });
    const accented = parseResult('{"a": "caf\\u00e9"}');
    expect(accented).toMatchObject({ value: { a: "café" } });
    expect(jsonStyle(spaced)).toEqual({ indent: 0, spaced: true, ascii: false });
    expect(jsonStyle(parseResult('{"a":1,"b":[1,2]}'))).toEqual({ indent: 0, spaced: false, ascii: false });
    expect(jsonStyle(parseResult('{\n  "a": 1\n}'))).toEqual({ indent: 2, spaced: false, ascii: false });
    expect(jsonStyle(accented)).toMatchObject({ ascii: true });
    expect(jsonStyle(parseResult([{ type: "text", text: '{"a": 1}' }]))).toMatchObject({ spaced: true });
    expect(jsonStyle(parseResult("{'a': 1}"))).toEqual({ indent: 0, spaced: false, ascii: false });
  });
  it("reads Python literals, content blocks and protocol results", () => {
    expect(parseResult("{'a': None, 'b': (1, 2.5), 'c': True, 'd': \"it's\"}")).toMatchObject({
      value: { a: null, b: [1, 2.5], c: true, d: "it's" },
      form: "python",
    });
    expect(parseResult([{ type: "text", text: '{"x":1}' }])).toMatchObject({
      value: { x: 1 },
      form: "json",
      blocks: true,
    });
    expect(parseResult({ content: [{ type: "text", text: "no" }], isError: true })).toMatchObject({
      value: "no",
      flagged: true,
    });
    expect(parseResult({ x: 1 })).toMatchObject({ value: { x: 1 }, form: "structured" });
  });
  it("leaves numbers and words as they were written", () => {
    expect(parseResult("255.0")).toMatchObject({ value: "255.0", form: "text" });
    expect(parseResult("[not json")).toMatchObject({ value: "[not json", form: "text" });
  });
  it("gives back any JSON value that was written as text", () => {
    const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(container, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseResult(text).value).toEqual(JSON.parse(text));
      }),
    );
  });
  it("never throws on arbitrary text, and refuses what is no literal", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseResult(text).form).toMatch(/json|text|python/);
      }),
    );
    for (const text of ["{'a' 1}", "[1, 2", "{'a': import}", "['x'] tail"])
      expect(parsePythonLiteral(text)).toBeUndefined();
    expect(parsePythonLiteral("[".repeat(5000))).toBeUndefined();
  });
});

describe("answerClass", () => {
  const of = (result: Parameters<typeof parseResult>[0], isError = false, status?: number) =>
    answerClass(parseResult(result), isError, status === undefined ? {} : { status });
  it("tells data, empty, refused and errors apart", () => {
    expect(of('{"a":1}')).toBe("data");
    expect(of("[]")).toBe("empty");
    expect(of("")).toBe("empty");
    expect(of("No results found.")).toBe("empty");
    expect(of("Error: user not found")).toBe("error:not_found");
    expect(of("anything", true)).toBe("error:failed");
    expect(of('{"error":"already paid"}')).toBe("error:conflict");
    expect(of("body", false, 404)).toBe("error:not_found");
    expect(of("body", false, 429)).toBe("refused");
    expect(of("Error: access denied")).toBe("refused");
    expect(of(null)).toBe("pending");
  });
  it("does not take a word in data for an error", () => {
    expect(of('{"status":"error-prone","note":"not found"}')).toBe("data");
    expect(of("The error rate is 2 %")).toBe("data");
  });
  it("learns a tool's own error wording from its flagged results", () => {
    const rows = ["Sorry: it is closed", "Sorry: too late"].map((text) => ({
      parsed: parseResult(text),
      isError: true,
    }));
    const shape = errorShape([...rows, { parsed: parseResult("Open until 5"), isError: false }]);
    expect(answerClass(parseResult("Sorry: another reason"), false, { shape })).toBe("error:failed");
    expect(answerClass(parseResult("Open"), false, { shape })).toBe("data");
  });
});

it("an answer whose own status is Error is one, a thing in it is not", () => {
  const told = (value: unknown) => answerClass(parseResult(JSON.stringify(value)), false);
  expect(told({ response_status: "Error", message: "No data found for May." })).toBe("error:not_found");
  expect(told({ Status: "ERROR", message: "broken" })).toBe("error:failed");
  expect(told({ order_status: "Error", id: 7 })).toBe("data");
});

it("errors set off by markup, refusals before a colon and codes written as texts are errors", () => {
  const of = (result: string) => answerClass(parseResult(result), false);
  expect(of("**Error**: nobody is called `zoe`.")).toBe("error:failed");
  expect(of("❌ Error: no such room")).toBe("error:not_found");
  expect(of("Refused: renewed twice already.")).toBe("error:conflict");
  expect(of("No such member: M9")).toBe("error:not_found");
  expect(of('{"message":"Not Found","status":"404"}')).toBe("error:not_found");
  expect(of('{"message":"Sent","status":"queued"}')).toBe("data");
  expect(of('{"id":7,"status":"404"}')).toBe("data");
  expect(of("**Refused loans**\nnone")).toBe("data");
  expect(of("# Errors are rare")).toBe("data");
});

describe("isPlainlyData", () => {
  const word = fc.constantFrom(
    ...["error", "errors", "ok", "success", "status", "status_code", "statusCode", "code", "id", "message"],
    ...["Status", "STATUS", "response_status", "resultStatus", "RequestStatus", "call_status", "order_status"],
  );
  const said = fc.oneof(
    fc.constantFrom(true, false, null, 0, 200, 404, 503, "404", "error", "Error", "ERROR", "open", "", [], {}),
    fc.jsonValue(),
  );
  const row = fc.dictionary(fc.oneof(word, fc.string()), said);
  const text = fc.oneof(
    fc
      .tuple(fc.oneof(row, fc.array(row)), fc.constantFrom(undefined, 1))
      .map(([value, by]) => JSON.stringify(value, null, by)),
    row.map((value) =>
      JSON.stringify(value).replaceAll('"', "'").replaceAll("true", "True").replaceAll("null", "None"),
    ),
    row.map((value) => JSON.stringify(value).replace("o", "\\u006f").replace("s", "\\s")),
    fc.string(),
  );
  it("says data of nothing that parsing tells otherwise", () => {
    fc.assert(
      fc.property(text, (each) => {
        if (!isPlainlyData(each)) return;
        const parsed = parseResult(each);
        expect({ flagged: parsed.flagged, class: answerClass(parsed, false) }).toEqual({
          flagged: false,
          class: "data",
        });
      }),
      { numRuns: 3000 },
    );
  });
  it("knows most of what tools answer, and leaves errors and what is empty to parsing", () => {
    for (const each of [
      '{"id": 1, "status": "pending"}',
      '[{"error": "x"}]'.replace("error", "name"),
      '{"ok":true,"rows":[1]}',
    ])
      expect(isPlainlyData(each)).toBe(true);
    for (const each of [
      '{"error": "no"}',
      "{'status': 404}",
      '{"status":"error"}',
      '{"response_status": "Error"}',
      "{}",
      "[ ]",
      "Error: x",
      '{"ok":false}',
    ])
      expect(isPlainlyData(each)).toBe(false);
  });
});
