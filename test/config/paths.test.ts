import { userInfo } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { configFile, dataDirectory, getHomeDirectory, withOwnNames } from "../../src/config/paths.ts";

const home = resolve("/home/ada");

describe("the places of data and configuration", () => {
  it("are those that the environment names", () => {
    const environment = { HOME: home, XDG_DATA_HOME: resolve("/data"), XDG_CONFIG_HOME: resolve("/etc/ada") };
    expect(dataDirectory(environment, "linux")).toBe(resolve("/data/sallyport"));
    expect(configFile(environment, "linux")).toBe(resolve("/etc/ada/sallyport/config.json"));
    const own = { ...environment, SERVICE_HOME: "/own", SERVICE_CONFIG: "/own.json" };
    expect(dataDirectory(own, "linux")).toBe("/own");
    expect(configFile(own, "linux")).toBe("/own.json");
  });

  it.each([{}, { HOME: "" }, { HOME: "ada" }, { HOME: "./", USERPROFILE: "~" }])(
    "are in the home that the system knows where the environment names none: %j",
    (environment) => {
      expect(getHomeDirectory(environment)).toBe(userInfo().homedir);
    },
  );

  it("are never below the folder where the command runs, as a relative path would have it", () => {
    const environment = { HOME: home, XDG_DATA_HOME: "data", XDG_CONFIG_HOME: "./config" };
    expect(dataDirectory(environment, "linux")).toBe(resolve(home, ".local/share/sallyport"));
    expect(configFile(environment, "linux")).toBe(resolve(home, ".config/sallyport/config.json"));
  });

  it.each(["SERVICE_HOME", "SALLYPORT_HOME"])("are rejected if %s is relative", (name) => {
    for (const path of ["data", "./data", "~/data"])
      expect(() => dataDirectory(withOwnNames({ HOME: home, [name]: path }))).toThrow(
        expect.objectContaining({
          code: "usage",
          message: `${name} must be an absolute path, got "${path}"`,
        }),
      );
  });

  it("are in the profile that Node.js reports on Windows, even if HOME names another folder", () => {
    const environment = { HOME: resolve("/emacs"), USERPROFILE: home };
    expect(getHomeDirectory(environment, "win32")).toBe(home);
    expect(getHomeDirectory(environment, "linux")).toBe(resolve("/emacs"));
    expect(getHomeDirectory({ HOME: home }, "win32")).toBe(home);
    expect(dataDirectory(environment, "win32")).toBe(resolve(home, "AppData/Local/sallyport"));
  });
});
