/** Rules of this project that oxlint does not have. */

/** Refuses `Date.now`, `Date()` and `new Date()`: they read the clock. `new Date(ms)` and `Date.parse` compute. */
const noAmbientTime = {
  create(context) {
    const message = "A pure module gets the time as an argument.";
    const isDate = (node) => node.type === "Identifier" && node.name === "Date";
    return {
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (isDate(node.object) && name === "now") context.report({ node, message });
      },
      NewExpression(node) {
        if (isDate(node.callee) && node.arguments.length === 0) context.report({ node, message });
      },
      CallExpression(node) {
        if (isDate(node.callee)) context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: "meridian" }, rules: { "no-ambient-time": noAmbientTime } };
