import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["ui/static/shared/lit.js"] },
  js.configs.recommended,
  { files: ["ui/static/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/page/**/*.js"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  {
    rules: {
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-use-before-define": ["error", { functions: false, variables: false }],
    },
  },
];
