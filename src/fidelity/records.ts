import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import { type AppError, badRequest, unprocessable } from "../../chapters/errors.ts";
import { inflated, once, readAll } from "../../chapters/evidence/reading/bytes.ts";
import { openEvidence } from "../../chapters/evidence/reading/evidence.ts";
import { filesOf } from "../evaluate/files.ts";
import { inFile } from "./traces.ts";

/** Tables by name, each an object of rows by key or a list of rows. */
export type Tables = Readonly<Record<string, unknown>>;

/** Reads database exports: JSON objects of tables, single tables named by their file, CSV. Throws AppError without rows. */
export async function readRecords(paths: readonly string[]): Promise<Tables> {
  const tables: Record<string, unknown> = {};
  for (const file of paths.flatMap(filesOf)) {
    try {
      for (const [name, rows] of Object.entries(await tablesOf(file)))
        tables[name] = name in tables ? joined(tables[name], rows) : rows;
    } catch (error) {
      throw inFile(error, file);
    }
  }
  return tables;
}

async function tablesOf(file: string): Promise<Tables> {
  const bytes = await readAll(inflated(createReadStream(file)), MAX_EXPORT_BYTES);
  const name = basename(file).replace(/\.(gz|zst)$/, "");
  const own = basename(name, extname(name));
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (!/^\s*[[{]/.test(text)) return csvTable(bytes, own);
  const value = parsed(text);
  if (isTable(value)) {
    // An object of objects is a table by key, unless each of them is a table itself.
    if (Array.isArray(value) || !Object.values(value as object).every(isTable)) return { [own]: value };
    return value as Tables;
  }
  const found = Object.entries(Object(value)).filter(([, rows]) => isTable(rows));
  if (found.length === 0) throw noRows();
  return Object.fromEntries(found);
}

/** The largest export that is read whole, bytes. */
const MAX_EXPORT_BYTES = 512 * 1024 * 1024;

async function csvTable(bytes: Buffer, name: string): Promise<Tables> {
  const opened = await openEvidence(once(bytes), { kind: "document", format: "records", allowSecrets: true });
  const rows = (await opened.document()).tables.flatMap((table) => table.rows);
  if (rows.length === 0) throw noRows();
  return { [name]: rows };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("The database export is not valid JSON.");
  }
}

/** A list of objects or an object of objects, with at least one. */
function isTable(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  const rows = Object.values(value);
  return rows.length > 0 && rows.every((row) => row !== null && typeof row === "object" && !Array.isArray(row));
}

function joined(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (!Array.isArray(a) && !Array.isArray(b)) return { ...(a as object), ...(b as object) };
  throw badRequest("Two files give the same table in two forms: once by key, once as a list.");
}

function noRows(): AppError {
  return unprocessable("The file is no database export: it holds no table of rows.");
}
