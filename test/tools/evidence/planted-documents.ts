import { PDFDocument, StandardFonts } from "pdf-lib";
import { type Planted, sessionOf } from "./planted-values.ts";

function letter({ given, family, email, phone, card, street, city, ssn, order }: Planted): string {
  return `Contact: ${given} ${family}\nEmail: ${email}\nPhone: ${phone}\nAddress: ${street}, ${city}\nCard: ${card}\nSSN: ${ssn}\n\nDear ${given} ${family}, order ${order} was sent to ${street}, ${city}. Write to ${email} or call ${phone}.\n`;
}

function har(who: Planted): unknown {
  const { calls } = sessionOf(who, 1);
  const entries = calls.map(({ tool, args, result }, i) => ({
    startedDateTime: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    time: 12,
    request: {
      method: i === 2 ? "POST" : "GET",
      url: `https://api.shop.example/v1/${tool === "get_user" ? `users/${who.userId}` : `orders/${who.order}`}${i === 2 ? "/cancel" : `?email=${encodeURIComponent(who.email)}`}`,
      headers: [
        { name: "Cookie", value: `user=${who.email}` },
        { name: "X-User", value: who.userId },
      ],
      ...(i === 2 ? { postData: { mimeType: "application/json", text: JSON.stringify(args) } } : {}),
    },
    response: {
      status: 200,
      headers: [
        { name: "Content-Type", value: "application/json" },
        { name: "X-Customer", value: who.email },
      ],
      content: { mimeType: "application/json", text: JSON.stringify(result) },
    },
  }));
  return { log: { version: "1.2", creator: { name: "t", version: "1" }, entries } };
}

function openApi(who: Planted): unknown {
  const { calls } = sessionOf(who, 1);
  const example = calls[0]?.result;
  return {
    openapi: "3.0.3",
    info: { title: "Shop", version: "1", contact: { name: `${who.given} ${who.family}`, email: who.email } },
    servers: [{ url: "https://api.shop.example" }],
    paths: {
      "/users/{user_id}": {
        get: {
          operationId: "get_user",
          description: `Ask ${who.given} ${who.family} (${who.email}, ${who.phone}) for access.`,
          parameters: [
            {
              name: "user_id",
              in: "path",
              required: true,
              schema: { type: "string", example: who.userId },
              example: who.userId,
            },
          ],
          responses: { 200: { description: "ok", content: { "application/json": { example } } } },
        },
      },
    },
  };
}

function listing(who: Planted): unknown {
  const description = `Reads a user. Ask ${who.given} ${who.family} (${who.email}, ${who.phone}) for access.`;
  const user_id = { type: "string", description: `Such as ${who.userId}`, default: who.userId, examples: [who.email] };
  return { name: "get_user", description, inputSchema: { type: "object", properties: { user_id } } };
}

async function pdf(words: string): Promise<string> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage();
  words.split("\n").forEach((line, i) => {
    page.drawText(line, { x: 20, y: 700 - 20 * i, size: 9, font });
  });
  return Buffer.from(await document.save()).toString("base64");
}

/** Every format of listings, documents and captures: what one that is about a person is sent as. */
export const OTHER_FORMATS: Readonly<Record<string, (who: Planted) => unknown>> = {
  mcp: (who) => ({ tools: [listing(who)] }),
  "openai-tools": (who) => {
    const { name, description, inputSchema } = listing(who) as Record<string, unknown>;
    return [{ type: "function", function: { name, description, parameters: inputSchema } }];
  },
  "anthropic-tools": (who) => {
    const { name, description, inputSchema } = listing(who) as Record<string, unknown>;
    return [{ name, description, input_schema: inputSchema }];
  },
  openapi: openApi,
  markdown: (who) => `# Letter to ${who.given} ${who.family}\n\n${letter(who)}`,
  text: (who) => letter(who),
  html: (who) =>
    `<html><head><title>${who.given} ${who.family}</title></head><body><p>${letter(who).replaceAll("\n", "</p><p>")}</p></body></html>`,
  pdf: (who) => pdf(letter(who)),
  records: (who) => ({ users: [sessionOf(who, 1).calls[0]?.result], orders: [sessionOf(who, 1).calls[1]?.result] }),
  "records (CSV)": ({ userId, given, family, email, phone, street, city, card }) =>
    `user_id,first_name,last_name,email,phone,address,city,card_number\n${userId},${given},${family},${email},${phone},${street},${city},${card}\n`,
  har,
};
