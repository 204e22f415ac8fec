import { expect, it } from "vitest";
import { nameFor } from "./source-name.ts";

it.each([
  ["linear", "", "linear"],
  ["My weather (new)", "", "My-weather-new"],
  ["Météo", "", "Meteo"],
  ["2nd server", "", "nd-server"],
  ["天気", "https://api.weather.example/mcp", "api-weather-example"],
  ["天気", "", "service-frbi"],
  ["株価", "", "service-i5kn"],
  ["x".repeat(60), "", "x".repeat(40)],
])("names a service %s at %s so that models can call its tools", (said, address, name) => {
  expect(nameFor(said, address)).toBe(name);
});
