// Chat, Memory, Insights; and the drawer in which they stand, with the list of conversations, where there is no room.

const PANES = [["chat", "talk"], ["memory", "memory-pane"], ["insights", "insights-pane"]];
const tabList = element.querySelector(".head-tabs");
const fold = element.querySelector(".head-fold");
const drawer = element.querySelector(".head-drawer");
const wide = window.matchMedia("(min-width: 52rem)");

for (const [name, pane] of PANES) {
  const tab = makeButton("", words[`tab_${name}`], () => select(name));
  Object.assign(tab, { id: `tab-${name}`, role: "tab" });
  tab.dataset.name = name;
  tab.setAttribute("aria-controls", pane);
  tab.dataset.label = tab.textContent;
  tabList.append(tab);
  const panel = document.getElementById(pane);
  panel?.setAttribute("role", "tabpanel");
  panel?.setAttribute("aria-labelledby", tab.id);
}

let isLed = false; // by the address, which then says what is shown

function select(name) {
  document.documentElement.dataset.tab = name;
  if (!isLed) showTabInAddress(name);
  for (const tab of tabList.children) {
    const isSelected = tab.dataset.name === name;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
  }
  if (name !== "chat") window.dispatchEvent(new CustomEvent("noted:view", { detail: name }));
}

function showTabInAddress(name) {
  const address = new URL(window.location);
  if (name === "chat") address.searchParams.delete("tab");
  else address.searchParams.set("tab", name);
  if (address.href !== window.location.href) history.pushState(null, "", address);
}

function goToTab() {
  isLed = true;
  const wanted = new URL(window.location).searchParams.get("tab");
  select(PANES.some(([name]) => name === wanted) ? wanted : "chat");
  setTimeout(() => (isLed = false)); // when all have heard of the address
}

tabList.addEventListener("keydown", (event) => {
  const at = [...tabList.children].indexOf(event.target);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const next = [...tabList.children].at(to % tabList.children.length);
  select(next.dataset.name);
  next.focus();
});

function openDrawer() {
  const talks = document.querySelector(".talks");
  const home = talks.parentElement;
  drawer.append(fold, talks);
  drawer.showModal();
  const putBack = () => {
    element.querySelector(".head-chip").before(fold);
    home.append(talks);
  };
  drawer.addEventListener("close", putBack, { once: true });
}

const menu = element.querySelector(".head-menu");
const fresh = element.querySelector(".head-fresh");
menu.setAttribute("aria-label", words.menu);
menu.addEventListener("click", openDrawer);
drawer.setAttribute("aria-label", words.menu);
drawer.addEventListener("click", ({ target }) => (target === drawer || target.closest(".head-fold button")) && drawer.close());
wide.addEventListener("change", () => drawer.close());
fresh.textContent = `+ ${words.new_conversation}`;
fresh.addEventListener("click", () => window.dispatchEvent(new CustomEvent("noted:fresh")));
window.addEventListener("noted:tab", ({ detail }) => {
  select(detail);
  document.getElementById(`tab-${detail}`).focus();
});
for (const event of ["noted:fresh", "noted:open"]) {
  window.addEventListener(event, ({ detail }) => {
    if (detail !== "erased") drawer.close(); // else the list says there what went
    if (!isLed) select("chat");
  });
}
window.addEventListener("popstate", goToTab);
