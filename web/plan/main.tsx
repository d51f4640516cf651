import { createRoot } from "react-dom/client";
import "../shared/styles/shared.css";
import "./styles/plan.css";
import { watchSystemTheme } from "../shared/theme/theme.ts";
import { App } from "./app.tsx";
import { load } from "./state/load.ts";

void load();
watchSystemTheme();

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
