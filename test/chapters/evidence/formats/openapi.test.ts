import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../chapters/errors.ts";
import { read } from "./kit.ts";

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Billing", version: "1" },
  paths: {
    "/invoices/{id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: {
        operationId: "get-invoice",
        summary: "One invoice",
        parameters: [{ name: "expand", in: "query", schema: { type: "boolean", nullable: true } }],
        responses: {
          "404": { description: "no" },
          "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Invoice" } } } },
        },
      },
      put: {
        operationId: "get-invoice",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Invoice" } } },
        },
        responses: { "204": {} },
      },
      delete: { responses: { "204": {} } },
    },
    "/invoices": {
      get: {
        operationId: "list_invoices",
        responses: {
          "2XX": {
            content: {
              "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Invoice" } } },
            },
          },
        },
      },
      post: {
        operationId: "create_invoice",
        parameters: [{ name: "total", in: "query", schema: { type: "string" } }],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Invoice" } } } },
        responses: {},
      },
    },
  },
  components: {
    parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" }, description: "Its id" } },
    schemas: {
      Invoice: {
        allOf: [
          { type: "object", properties: { number: { type: "string", readOnly: true } }, required: ["number"] },
          {
            type: "object",
            properties: {
              total: { type: "number", example: 3 },
              parent: { $ref: "#/components/schemas/Invoice" },
              elsewhere: { $ref: "https://example.com/other.json#/x" },
            },
            required: ["total"],
          },
        ],
      },
    },
  },
};

describe("OpenAPI documents", () => {
  it("give one tool an operation, references written out", async () => {
    const { format, tools, losses } = await read(DOCUMENT);
    expect(format).toBe("openapi");
    expect(tools.map(({ name }) => name)).toEqual([
      "get-invoice",
      "get-invoice_2",
      "delete_invoices_id",
      "list_invoices",
      "create_invoice",
    ]);
    const [get, put, remove, list, create] = tools;
    expect(get).toMatchObject({
      description: "One invoice",
      annotations: { readOnlyHint: true, idempotentHint: true },
      inputSchema: {
        properties: { id: { type: "string", description: "Its id" }, expand: { type: ["boolean", "null"] } },
        required: ["id"],
      },
      outputSchema: { type: "object", properties: { number: { type: "string" }, total: { type: "number" } } },
    });
    expect(put?.inputSchema).toMatchObject({ required: ["id", "total"] });
    expect(Object.keys(put?.inputSchema.properties as object)).toEqual(["id", "total", "parent", "elsewhere"]);
    expect(remove?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(list?.outputSchema).toMatchObject({ properties: { result: { type: "array" } }, required: ["result"] });
    // A parameter and a field of the body share a name: the body stands by itself.
    expect(Object.keys(create?.inputSchema.properties as object)).toEqual(["total", "body"]);
    expect(losses.schema_part_too_deep).toBeGreaterThan(0);
    const ajv = new Ajv({ strict: false });
    for (const { inputSchema, outputSchema = {} } of tools) {
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      expect(ajv.validateSchema(outputSchema)).toBe(true);
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
    }
  });

  it("are read from YAML with anchors, and from Swagger 2", async () => {
    const yaml = await read(
      [
        "openapi: 3.1.0",
        "paths:",
        "  /a:",
        "    get: &op",
        "      operationId: a",
        "      responses: {'200': {content: {application/json: {schema: {type: object, properties: {x: {type: integer}}}}}}}",
        "  /b:",
        "    get: *op",
      ].join("\n"),
    );
    expect(yaml.tools.map(({ name, outputSchema }) => [name, outputSchema?.type])).toEqual([
      ["a", "object"],
      ["a_2", "object"],
    ]);
    const swagger = await read({
      swagger: "2.0",
      paths: {
        "/pets": {
          post: {
            operationId: "addPet",
            parameters: [
              { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } },
              { name: "dry", in: "query", type: "boolean" },
            ],
            responses: { "200": { schema: { $ref: "#/definitions/Pet" } } },
          },
        },
      },
      definitions: { Pet: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    });
    expect(swagger.tools[0]).toMatchObject({
      inputSchema: { properties: { dry: { type: "boolean" }, name: { type: "string" } }, required: ["name"] },
      outputSchema: { properties: { name: { type: "string" } } },
    });
  });

  it("of 3.0 and 3.1 come to schemas of one kind, with every reference followed", async () => {
    const ok = (schema: unknown) => ({ "200": { description: "", content: { "application/json": { schema } } } });
    const old = await read({
      openapi: "3.0.3",
      paths: {
        "/a": {
          get: {
            operationId: "a",
            parameters: [
              {
                name: "n",
                in: "query",
                schema: { type: "integer", minimum: 5, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
              },
            ],
            responses: ok({ type: "string", nullable: true }),
          },
        },
      },
    });
    expect(old.tools[0]?.inputSchema.properties).toEqual({ n: { type: "integer", exclusiveMinimum: 5, maximum: 9 } });
    const ref = { $ref: "#/components/schemas/Id" };
    const { tools } = await read({
      openapi: "3.1.0",
      paths: {
        "/a/{id}": {
          $ref: "#/components/pathItems/Item",
          parameters: [{ name: "id", in: "path", required: true, schema: { ...ref, description: "of an order" } }],
        },
      },
      components: {
        schemas: {
          Id: { type: ["string", "null"], format: "uuid" },
          Many: {
            $id: "https://shop.example/many",
            type: "object",
            properties: {
              pair: { type: "array", prefixItems: [ref, { const: 7 }], items: false },
              byName: { type: "object", patternProperties: { "^x": ref }, propertyNames: ref },
              some: { type: "array", contains: ref, exclusiveMinimum: 1 },
              when: { if: ref, else: false, dependentSchemas: { a: ref }, unevaluatedProperties: ref },
            },
          },
        },
        pathItems: { Item: { get: { operationId: "read", responses: ok({ $ref: "#/components/schemas/Many" }) } } },
      },
    });
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { id: { type: ["string", "null"], format: "uuid", description: "of an order" } },
      required: ["id"],
    });
    expect(tools[0]?.outputSchema?.properties).toMatchObject({
      pair: { prefixItems: [{ format: "uuid" }, { const: 7 }], items: false },
      byName: { patternProperties: { "^x": { format: "uuid" } } },
      when: { else: false, dependentSchemas: { a: { format: "uuid" } } },
    });
    expect(JSON.stringify(tools)).not.toContain("$ref");
    const ajv = new Ajv2020({ strict: false });
    for (const { inputSchema, outputSchema = {} } of [...old.tools, ...tools])
      expect([ajv.validateSchema(inputSchema), ajv.validateSchema(outputSchema)]).toEqual([true, true]);
  });

  // Finding E17: no size has another reading.
  it("are read whole however large they are", async () => {
    const description = "What it does, at length. ".repeat(300);
    const paths = Object.fromEntries(
      Array.from({ length: 174 }, (_, n) => [
        `/method.${n}`,
        { get: { operationId: `method_${n}`, description, responses: { 200: { description: "ok" } } } },
      ]),
    );
    const large = { swagger: "2.0", info: { title: "Chat", version: "1" }, host: "chat.example", paths };
    expect(JSON.stringify(large).length).toBeGreaterThan(1_200_000);
    for (const content of [large, JSON.stringify(large, null, 2)])
      expect((await read(content, { kind: "tool_listing" })).tools).toHaveLength(174);
    expect((await read(JSON.stringify(large))).tools).toHaveLength(174);
  });

  it("are refused where they cannot be read", async () => {
    await expect(read("openapi: 3.0.0\npaths: [", { format: "openapi" })).rejects.toThrow(AppError);
    await expect(read("openapi: 3.0.0\ninfo: {}\n", { format: "openapi" })).rejects.toThrow(AppError);
    await expect(read({ openapi: "1.0", paths: {} }, { format: "openapi" })).rejects.toThrow(AppError);
  });
});
