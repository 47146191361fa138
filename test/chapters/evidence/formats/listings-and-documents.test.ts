import { describe, expect, it } from "vitest";
import { AppError } from "../../../../chapters/errors.ts";
import { CHAT, read } from "./kit.ts";

describe("tool listings", () => {
  it("reads MCP, OpenAI and Anthropic listings in their frames, and counts what is no tool", async () => {
    const mcp = await read({
      jsonrpc: "2.0",
      id: 1,
      result: {
        tools: [
          {
            name: "a",
            title: "A",
            description: "d",
            inputSchema: { type: "object" },
            annotations: { readOnlyHint: true },
          },
        ],
      },
    });
    expect([mcp.format, mcp.tools]).toEqual([
      "mcp",
      [
        {
          name: "a",
          title: "A",
          description: "d",
          inputSchema: { type: "object" },
          annotations: { readOnlyHint: true },
        },
      ],
    ]);
    const openai = await read([
      { type: "function", function: { name: "a", parameters: { type: "object", required: ["x"] } } },
      { type: "function", name: "b" },
      { type: "function", name: "b" },
    ]);
    expect([openai.format, openai.tools.map((tool) => [tool.name, tool.inputSchema]), openai.losses]).toEqual([
      "openai-tools",
      [
        ["a", { type: "object", required: ["x"] }],
        ["b", { type: "object", properties: {} }],
      ],
      { tool_named_twice: 1 },
    ]);
    const bare = await read([{ name: "a", description: "d", parameters: { type: "object", required: ["x"] } }]);
    expect([bare.format, bare.tools]).toEqual([
      "openai-tools",
      [{ name: "a", description: "d", inputSchema: { type: "object", required: ["x"] } }],
    ]);
    const anthropic = await read({ tools: [{ name: "a", input_schema: { type: "object" } }] });
    expect([anthropic.format, anthropic.tools]).toEqual([
      "anthropic-tools",
      [{ name: "a", inputSchema: { type: "object" } }],
    ]);
    const bad = await read(
      [
        { name: "a", inputSchema: { type: "object" } },
        { name: 5, inputSchema: 3 },
      ],
      { format: "mcp" },
    );
    expect([bad.tools.length, bad.refused]).toEqual([
      1,
      [{ line: 2, reason: "a tool without a name or with a schema that is no object" }],
    ]);
  });
});

describe("documents", () => {
  it("reads tables keyed by id, tables of rows, and CSV with quotes, types and broken rows", async () => {
    const { format, document } = await read({
      users: { u1: { name: "Ann" }, u2: { name: "Bob", id: "u2" } },
      data: [{ id: 1 }],
      orders: [{ id: "W1", total: 5 }],
    });
    expect(format).toBe("records");
    expect(document.tables.map(({ name, columns, rows }) => [name, columns, rows])).toEqual([
      [
        "users",
        ["id", "name"],
        [
          { id: "u1", name: "Ann" },
          { id: "u2", name: "Bob" },
        ],
      ],
      ["orders", ["id", "total"], [{ id: "W1", total: 5 }]],
      ["data", ["id"], [{ id: 1 }]],
    ]);
    const csv = await read(
      'id,name,price,zip,ok\r\n1,"Smith, ""Al""",2.50,01234,true\r\n2,"two\nlines",3.5,,false\r\n3,short\r\n',
      { type: "text/csv" },
    );
    expect(csv.document.tables[0]?.rows).toEqual([
      { id: 1, name: 'Smith, "Al"', price: "2.50", zip: "01234", ok: true },
      { id: 2, name: "two\nlines", price: 3.5, zip: null, ok: false },
    ]);
    expect(csv.refused).toEqual([{ line: 4, reason: "a row with another number of fields than the header" }]);
  });

  // Finding S20.
  it("reads CSV whose quotes stand within a field as text, and refuses the row of one that never ends", async () => {
    const wide = `${"c,".repeat(20_000)}c\n${"1,".repeat(20_000)}1\n`;
    await expect(read(wide, { type: "text/csv" })).rejects.toMatchObject({ code: "too_large" });
    expect((await read(wide)).document.tables).toEqual([]);
    const csv = await read('item,note\n"Tee" shirt,5" wide\nMug,"it says ""hi"""\n\nHat,"never closed\nCap,last\n');
    expect(csv.format).toBe("records");
    expect(csv.document.tables[0]?.rows).toEqual([
      { item: '"Tee" shirt', note: '5" wide' },
      { item: "Mug", note: 'it says "hi"' },
    ]);
    expect(csv.refused).toEqual([{ line: 4, reason: "a row with a quote that does not end" }]);
  });

  it("knows CSV by its rows where a field holds line ends, whatever its separator and its line ends", async () => {
    const csv = await read('\ufeffid;note;n\r"a";"two\rlines, with; marks";1\r"b";"";2\r');
    expect(csv.format).toBe("records");
    expect(csv.document.tables[0]?.rows).toEqual([
      { id: "a", note: "two\rlines, with; marks", n: 1 },
      { id: "b", note: null, n: 2 },
    ]);
  });

  it("reads Markdown, plain text and lists of documents", async () => {
    expect(await read("# Policy\n\n- be kind")).toMatchObject({
      format: "markdown",
      document: { texts: [{ title: "Policy", text: "# Policy\n\n- be kind" }] },
    });
    expect(await read("Just words.")).toMatchObject({ format: "text", document: { texts: [{ text: "Just words." }] } });
    const lines = await read('{"id":"d1","title":"T","content":"## A\\nb"}\n{"id":"d2","title":"U","content":"c"}');
    expect(lines).toMatchObject({
      format: "markdown",
      document: {
        texts: [
          { id: "d1", title: "T" },
          { id: "d2", text: "c" },
        ],
      },
    });
  });
});

describe("detection", () => {
  it("says what it saw, keeps to a wanted kind, and refuses what is nothing", async () => {
    expect((await read(CHAT)).detected).toBe("openai-chat: chat messages with roles, calls in tool_calls");
    expect((await read(CHAT, { format: "openai-chat" })).detected).toBe("openai-chat: named by the caller");
    await expect(read(CHAT, { kind: "tool_listing" })).rejects.toThrow(
      /no format that can be read here. It is a JSON array. Formats: mcp, openai-tools, anthropic-tools./,
    );
    await expect(read({ a: 1 })).rejects.toThrow(AppError);
    await expect(read(CHAT, { format: "morse" })).rejects.toThrow("no such format");
  });

  it("takes a record whole though one of its members is named as if it held items", async () => {
    const { format, traces } = await read({ messages: CHAT, data: [{ unrelated: 1 }] });
    expect([format, traces.length, traces[0]?.calls.length]).toEqual(["openai-chat", 1, 2]);
  });
});
