import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRequest, type GuardPolicy, parseHostname } from "../../src/http/guard.ts";

const local: GuardPolicy = {
  hostnames: [],
  anyAddress: false,
  origins: [],
  mayBeLinked: (path) => !path.startsWith("/api/"),
};

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly route?: string;
  readonly policy?: GuardPolicy;
}

function check(headers: [string, string][], { policy = local, ...asked }: Asked = {}) {
  const request = { method: "GET", path: "/api/plan", ...asked, rawHeaders: headers.flat() };
  const result = checkRequest(request, policy);
  return result.allowed ? "allowed" : result.reason;
}

const own: [string, string] = ["Host", "localhost:8080"];

describe("Host", () => {
  it.each(["localhost", "localhost:1", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"])(
    "accepts %s",
    (host) => {
      expect(check([["Host", host]])).toBe("allowed");
    },
  );

  it.each([
    "evil.test",
    "localhost.evil.test",
    "evil-localhost",
    "localhost.",
    "localhost@evil.test",
    "evil.test@localhost",
    "0.0.0.0:8080",
    "[::]:8080",
    "127.1",
    "127.0.0.1.nip.io",
    "2130706433",
    "192.168.1.5",
    "localhost:80:80",
    "localhost:123456",
    "localhost, evil.test",
    "",
    " ",
  ])("refuses %j", (host) => {
    expect(check([["Host", host]])).toBe("host");
  });

  it("rejects a request without Host, and one with two", () => {
    expect(check([])).toBe("host");
    expect(check([own, ["host", "evil.test"]])).toBe("host");
    expect(check([own, own])).toBe("host");
  });

  it("accepts addresses, but no other names, if the server is bound beyond loopback", () => {
    const wide = { ...local, anyAddress: true, hostnames: ["mybox", "0.0.0.0", "[::]"] };
    for (const host of ["192.168.1.5:80", "[fe80::1]:80", "mybox:80", "localhost"]) {
      expect(check([["Host", host]], { policy: wide })).toBe("allowed");
    }
    for (const host of ["evil.test", "0.0.0.0", "[::]", "1.2.3.4.evil.test", "01.2.3.4", "256.1.1.1"]) {
      expect(check([["Host", host]], { policy: wide })).toBe("host");
    }
    for (const host of ["1.2.3", "1.2.3.4.5", "2130706433", "localhost, evil.test", ""]) {
      expect(check([["Host", host]], { policy: wide })).toBe("host");
    }
  });

  it("accepts names that are not listed only if the policy allows them", () => {
    const policy = { ...local, isAllowedHostname: (name: string) => name === "box.test" };
    expect(check([["Host", "BOX.test:8080"]], { policy })).toBe("allowed");
    expect(check([["Host", "evil.test"]], { policy })).toBe("host");
  });

  it("is not a valid name if it is missing", () => {
    expect(check([], { policy: { ...local, hostnames: ["undefined"] } })).toBe("host");
  });

  it("is read from its own header, never from another header's value", () => {
    expect(check([["X-Note", "Host"], own])).toBe("allowed");
    expect(check([["X-Note", "host"]])).toBe("host");
    expect(check([own, ["X-Note", "origin"], ["http://evil.test", "a"]])).toBe("allowed");
  });

  it("never accepts a name that is not listed", () => {
    const name = fastCheck.stringMatching(/^[a-zA-Z0-9._:[\]@-]{1,30}$/);
    fastCheck.assert(
      fastCheck.property(name, (host) => {
        const hostname = parseHostname(host);
        const isOwn = hostname !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
        expect(check([["Host", host]])).toBe(isOwn ? "allowed" : "host");
      }),
    );
  });
});

describe("Origin", () => {
  it("accepts exactly the server's own", () => {
    expect(check([own, ["Origin", "http://localhost:8080"]])).toBe("allowed");
  });

  it.each([
    "null",
    "http://localhost",
    "http://localhost:8081",
    "https://localhost:8080",
    "http://127.0.0.1:8080",
    "http://localhost:8080.evil.test",
    "http://evil.test",
    "",
  ])("refuses %j", (origin) => {
    expect(check([own, ["Origin", origin]])).toBe("origin");
  });

  it("rejects two of them", () => {
    expect(check([own, ["Origin", "http://localhost:8080"], ["Origin", "http://localhost:8080"]])).toBe(
      "origin",
    );
  });

  it("accepts a listed one, whatever Sec-Fetch-Site is", () => {
    const policy = { ...local, origins: ["http://app.test"] };
    const headers: [string, string][] = [
      own,
      ["Origin", "http://app.test"],
      ["Sec-Fetch-Site", "cross-site"],
    ];
    expect(check(headers, { policy })).toBe("allowed");
  });
});

describe("Sec-Fetch-Site", () => {
  it.each(["same-origin", "none"])("accepts %s", (site) => {
    expect(check([own, ["Sec-Fetch-Site", site]])).toBe("allowed");
  });

  it.each(["cross-site", "same-site", "anything"])("rejects %s", (site) => {
    expect(check([own, ["Sec-Fetch-Site", site]])).toBe("site");
  });

  const link: [string, string][] = [
    own,
    ["Sec-Fetch-Site", "cross-site"],
    ["Sec-Fetch-Mode", "navigate"],
    ["Sec-Fetch-Dest", "document"],
  ];

  it("allows a link from another site to open the page, but nothing else", () => {
    expect(check(link, { path: "/" })).toBe("allowed");
    expect(check(link, { path: "/", method: "HEAD" })).toBe("allowed");
    expect(check(link, { path: "/api/plan" })).toBe("site");
    expect(check(link, { path: "/", method: "POST" })).toBe("site");
  });

  it("checks the matched route as well as the path as written", () => {
    expect(check(link, { path: "/", route: "/" })).toBe("allowed");
    expect(check(link, { path: "/%61pi/plan", route: "/api/plan" })).toBe("site");
    expect(check(link, { path: "/api/plan", route: "/" })).toBe("site");
  });

  it("does not treat a frame or a form as a link", () => {
    const frame = link.map(([name, value]): [string, string] =>
      name === "Sec-Fetch-Dest" ? [name, "iframe"] : [name, value],
    );
    expect(check(frame, { path: "/" })).toBe("site");
    const image = link.map(([name, value]): [string, string] =>
      name === "Sec-Fetch-Mode" ? [name, "no-cors"] : [name, value],
    );
    expect(check(image, { path: "/" })).toBe("site");
    expect(check([...link, ["Origin", "http://localhost:8080"]], { path: "/" })).toBe("site");
  });
});

it("accepts programs, which send none of these headers", () => {
  expect(check([own], { method: "POST", path: "/api/approve" })).toBe("allowed");
});

describe("a frame in another page", () => {
  const policy = { ...local, mayBeFramed: (url: string) => url === "/?embed=right" };
  const framed = (url: string | undefined, more: [string, string][] = [], path = "/", element = "iframe") => {
    const headers: [string, string][] = [
      own,
      ["Sec-Fetch-Site", "cross-site"],
      ["Sec-Fetch-Mode", "navigate"],
      ["Sec-Fetch-Dest", element],
      ...more,
    ];
    const result = checkRequest(
      { method: "GET", path, ...(url && { url }), rawHeaders: headers.flat() },
      policy,
    );
    return result.allowed ? "allowed" : result.reason;
  };

  it("may show the page at a URL that the policy allows, and nothing else", () => {
    expect(framed("/?embed=right")).toBe("allowed");
    expect(framed("/?embed=wrong")).toBe("site");
    expect(framed("/?embed=right", [["Origin", "https://evil.test"]])).toBe("origin");
    expect(framed("/?embed=right", [], "/api/plan")).toBe("site");
  });

  it("is an iframe, not another element that shows pages", () => {
    for (const element of ["frame", "object", "embed", "fencedframe"])
      expect([element, framed("/?embed=right", [], "/", element)]).toEqual([element, "site"]);
  });

  it("is checked by its path if the URL is unknown", () => {
    expect(framed(undefined)).toBe("site");
    expect(framed(undefined, [], "/?embed=right")).toBe("allowed");
  });
});
