import { lookup as dnsLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent } from "undici";

/** A connection that was refused because of where it leads. */
export class AddressRefused extends Error {
  constructor() {
    super("the address lies in a loopback, link-local or private range, which this workspace does not allow");
    this.name = "AddressRefused";
  }
}

/** Whether an IP address is a public one: no loopback, link-local, private, multicast or reserved range, mapped forms included. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast" || parsed.toString() === AZURE_HOST) return false;
  // `::a.b.c.d`, an old form that means an IPv4 address without saying so.
  return (
    parsed.kind() === "ipv4" ||
    parsed
      .toByteArray()
      .slice(0, 12)
      .some((byte) => byte !== 0)
  );
}

/** The address under which a machine of Azure asks its host for its own settings. */
const AZURE_HOST = "168.63.129.16";

/** Throws AddressRefused when a URL's host is an address literal that is not public; names are checked as they resolve. */
export function checkLiteralHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(host) && !isPublicAddress(host)) throw new AddressRefused();
}

/** Resolves a name and refuses it when any of its addresses is not public: what was checked is what is connected to. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "");
    const refused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (refused || !first) return callback(new AddressRefused(), "");
    if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** An undici dispatcher for URLs that others gave us. With `privateAllowed` it goes anywhere. */
export function guardedDispatcher(privateAllowed: boolean): Agent {
  return new Agent({
    connect: privateAllowed ? { timeout: 10_000 } : { timeout: 10_000, lookup: publicLookup },
    keepAliveTimeout: 4_000,
  });
}
