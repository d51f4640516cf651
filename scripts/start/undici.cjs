// Replaces undici's main file in the bundle, because that file also loads mocks, caches, interceptors, proxies and
// everything of the browser's fetch when the proxy starts (bench/startup.mjs). Members that few calls use are loaded
// with their first use.
const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");
const load = {
  fetch: () => require("undici/lib/web/fetch/index.js").fetch,
  WebSocket: () => require("undici/lib/web/websocket/websocket.js").WebSocket,
};

exports.Dispatcher = Dispatcher;
exports.Agent = require("undici/lib/dispatcher/agent.js");
exports.Client = require("undici/lib/dispatcher/client.js");
exports.Pool = require("undici/lib/dispatcher/pool.js");
exports.buildConnector = require("undici/lib/core/connect.js");
exports.errors = require("undici/lib/core/errors.js");
for (const [name, get] of Object.entries(load))
  Object.defineProperty(exports, name, { enumerable: true, get });
