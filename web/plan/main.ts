import "../shared/styles/shared.css";
import "./styles/plan.css";
import { afterPaint } from "../shared/after-paint.ts";

/** The plan's text comes with the page; whatever has to run for the rest waits until it is on the screen. */
void afterPaint()
  .then(() => import("./start.tsx"))
  .then(({ start }) => start());
