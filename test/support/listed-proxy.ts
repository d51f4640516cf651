/** The running file's content of a proxy on port 8045. */
export const listedProxy = {
  url: "http://localhost:8045",
  port: 8045,
  version: "0.1.0",
  since: "2026-01-01T00:00:00Z",
  configuration: "/none.json",
  workers: 1,
  handsOver: false,
  service: null,
  args: [],
  folder: "/",
};
