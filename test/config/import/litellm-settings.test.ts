import { describe, expect, it } from "vitest";
import { importConfiguration } from "../../../src/config/import/import-configuration.ts";

function convert(text: string) {
  const { proxy, notes } = importConfiguration(text, "config.yaml", {});
  return { proxy, settings: notes.map(({ setting }) => setting) };
}

describe("proxy import of LiteLLM's settings", () => {
  it("joins the parts of Redis's address, unless one of them is in the environment", () => {
    const withRedis = (settings: string) => convert(`model_list: []\nrouter_settings: {${settings}}`);
    const parts = "redis_host: cache, redis_port: '6380', redis_password: 'a/b'";
    const { proxy: converted, settings: left } = withRedis(parts);
    expect(converted).toMatchObject({ redis: "redis://:a%2Fb@cache:6380" });
    expect(left).toEqual([]);
    expect(withRedis("redis_host: cache").proxy).toMatchObject({ redis: "redis://cache:6379" });
    expect(withRedis(`redis_url: redis://other, ${parts}`).proxy).toMatchObject({ redis: "redis://other" });
    const referring = withRedis("redis_host: cache, redis_port: 6379, redis_password: os.environ/SECRET");
    expect(referring.proxy).not.toHaveProperty("redis");
    expect(referring.settings).toEqual([
      "router_settings.redis_host",
      "router_settings.redis_port",
      "router_settings.redis_password",
    ]);
  });
});
