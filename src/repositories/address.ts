import { lookup } from "node:dns/promises";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import ipaddr from "ipaddr.js";
import { badRequest, forbidden, unprocessable } from "../../chapters/errors.ts";
import type { RepositoryTarget } from "../../chapters/repositories.ts";
import { isPublicAddress } from "../agents/addresses.ts";

/** What this workspace may fetch from. */
export interface AllowedRemotes {
  readonly privateAllowed: boolean;
  /** Whether folders of this machine may be cloned: only where its owner alone calls. */
  readonly localAllowed: boolean;
}

/** Where git goes, with the settings that keep it there. */
export interface Remote {
  readonly url: string;
  readonly settings: readonly (readonly [string, string])[];
}

/** Checks an address before git sees it and pins the host to what was checked. Refuses what this workspace does not reach. */
export async function remoteOf({ url, token }: RepositoryTarget, allowedRemotes: AllowedRemotes): Promise<Remote> {
  const parsed = parse(url);
  if (parsed.protocol === "file:") {
    if (!allowedRemotes.localAllowed) throw forbidden("This workspace clones no folders of its own machine.");
    return {
      url: parsed.href,
      settings: [
        ["protocol.file.allow", "always"],
        ["safe.directory", "*"],
      ],
    };
  }
  const plain = parsed.protocol === "http:" && allowedRemotes.privateAllowed;
  if (parsed.protocol !== "https:" && !plain)
    throw badRequest("Give the repository's https address.", {
      fields: [{ path: "url", message: "expected an https:// address" }],
    });
  if (parsed.username !== "" || parsed.password !== "")
    throw badRequest("Give no credential in the address; name the installation or the token instead.", {
      fields: [{ path: "url", message: "holds a credential" }],
    });
  return {
    url: parsed.href,
    settings: [
      [`protocol.${parsed.protocol.slice(0, -1)}.allow`, "always"],
      ...(await pinned(parsed, allowedRemotes)),
      ...credential(parsed, token),
    ],
  };
}

function parse(url: string): URL {
  if (isAbsolute(url)) return pathToFileURL(url);
  if (URL.canParse(url)) return new URL(url);
  throw badRequest("Give the repository's https address.", {
    fields: [{ path: "url", message: "expected an address" }],
  });
}

/** The name is resolved here and handed to git: what was checked is what is connected to. */
async function pinned(url: URL, allowedRemotes: AllowedRemotes): Promise<[string, string][]> {
  if (allowedRemotes.privateAllowed) return [];
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = ipaddr.isValid(host)
    ? [{ address: host }]
    : await lookup(host, { all: true }).catch(() => {
        throw unprocessable("The repository's host has no address.");
      });
  if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address)))
    throw forbidden("The repository's address lies in a range that this workspace does not call.");
  if (ipaddr.isValid(host)) return [];
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const list = addresses.map(({ address }) => (address.includes(":") ? `[${address}]` : address)).join(",");
  return [["http.curloptResolve", `${host}:${port}:${list}`]];
}

function credential(url: URL, token: string | undefined): [string, string][] {
  if (token === undefined) return [];
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [[`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`]];
}
