// A classic script that runs before the page is painted, so that no page flashes in the other colours.

const STORAGE_KEY = 'petstore:theme';
const SYSTEM_IS_DARK = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => {
  const chosen = localStorage.getItem(STORAGE_KEY);
  return chosen === null ? SYSTEM_IS_DARK.matches : chosen === 'dark';
};

function applyTheme() {
  const { classList } = document.documentElement;
  classList.toggle('dark-mode', isDark());
  classList.toggle('light-mode', !isDark());
}

applyTheme();
SYSTEM_IS_DARK.addEventListener('change', applyTheme);
// Another page of the same origin may change it.
addEventListener('storage', applyTheme);
document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('#theme')?.addEventListener('click', () => {
    localStorage.setItem(STORAGE_KEY, isDark() ? 'light' : 'dark');
    applyTheme();
  });
});
