import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { orNotFound } from "../../chapters/errors.ts";

/** Where islands lie below the console's address. */
const PLACE = "/islands";

interface Islands {
  /** Names the content of all of them, so that a browser can keep them for as long as they stay the same. */
  readonly version: string;
  readonly files: ReadonlyMap<string, string>;
}

let read: Islands | undefined;

function islands(): Islands {
  read ??= readIslands(new URL("./islands/", import.meta.url));
  return read;
}

function readIslands(folder: URL): Islands {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .sort();
  const files = new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
  const hash = createHash("sha256").update(JSON.stringify([...files]));
  return { version: hash.digest("hex").slice(0, 16), files };
}

/** The address of the script that pages of a console at `base` load; what it imports lies beside it. */
export function islandsScript(base: string): string {
  return `${base}${PLACE}/${islands().version}/islands.js`;
}

/** The route of the islands below the console's address. */
export const ISLANDS_PATH = `${PLACE}/:version/:name`;

/** Serves the islands, to everybody: they hold code of ours alone. What is none of them is a 404. */
export const islandFiles: RequestHandler = (req, res) => {
  const { version, files } = islands();
  const text = orNotFound(files.get(String(req.params.name)), "script");
  const kept = req.params.version === version ? "public, max-age=31536000, immutable" : "no-store";
  res.status(200).set({ "content-type": "text/javascript; charset=utf-8", "cache-control": kept }).send(text);
};
