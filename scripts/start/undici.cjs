// Replaces undici's main file in the bundle, because that file also loads mocks, caches, interceptors, proxies and
// everything of the browser's fetch when the proxy starts (bench/startup.mjs). Members that few calls use are loaded
// on first use.
module.exports = {
  Agent: require("undici/lib/dispatcher/agent.js"),
  Client: require("undici/lib/dispatcher/client.js"),
  Pool: require("undici/lib/dispatcher/pool.js"),
  buildConnector: require("undici/lib/core/connect.js"),
  errors: require("undici/lib/core/errors.js"),
  get fetch() {
    return require("undici/lib/web/fetch/index.js").fetch;
  },
  get WebSocket() {
    return require("undici/lib/web/websocket/websocket.js").WebSocket;
  },
  get ping() {
    return require("undici/lib/web/websocket/websocket.js").ping;
  },
};
