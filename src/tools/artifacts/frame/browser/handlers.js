(() => {
  const WINDOW = /^on(load|error|resize|hashchange|popstate|beforeunload|message|scroll|blur|focus)$/;
  const attach = (element) => {
    for (const { name, value } of [...element.attributes]) {
      if (!/^on[a-z]+$/.test(name)) continue;
      element.removeAttribute(name);
      const run = new Function("event", value);
      const target = element === document.body && WINDOW.test(name) ? window : element;
      target.addEventListener(name.slice(2), (event) => {
        if (run.call(element, event) === false) event.preventDefault();
      });
    }
  };
  const all = (root) => {
    if (root.nodeType !== 1) return;
    attach(root);
    for (const element of root.querySelectorAll("*")) attach(element);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) all(node);
  }).observe(document, { childList: true, subtree: true });
})();
