import { isObject } from "../json.ts";

const TELLS = ["code", "error_code", "errorCode", "type", "error", "title", "message", "detail", "reason"];

/** What tells one error of an API from another: its code where it has one, else its words without their values. */
export function errorSignature(body: unknown, depth = 0): string {
  if (typeof body === "string") return wordsOf(body);
  if (Array.isArray(body)) return body.length > 0 && depth < 4 ? errorSignature(body[0], depth + 1) : "";
  if (!isObject(body) || depth > 4) return body === undefined || body === null ? "" : String(body);
  for (const name of TELLS) {
    const value = body[name];
    if (typeof value === "string" && value !== "") return wordsOf(value);
    if (typeof value === "number") return String(value);
    if (isObject(value) || Array.isArray(value)) return errorSignature(value, depth + 1);
  }
  const { errors } = body;
  return errors === undefined ? Object.keys(body).sort().join(",") : errorSignature(errors, depth + 1);
}

/** The status that an error body states of itself. */
export function statedStatus(body: unknown): number | undefined {
  if (!isObject(body)) return undefined;
  for (const name of ["status", "statusCode", "status_code", "code"]) {
    const value = body[name];
    if (typeof value === "number" && Number.isInteger(value) && value >= 400 && value <= 599) return value;
  }
  return isObject(body.error) ? statedStatus(body.error) : undefined;
}

/** Words without quoted parts, numbers and ids: what differs from one such error to the next. */
function wordsOf(text: string): string {
  return text
    .slice(0, 300)
    .replace(/(["'`]).*?\1/g, "#")
    .split(/\s+/)
    .map((word) => (/\d/.test(word) ? "#" : word))
    .join(" ");
}
