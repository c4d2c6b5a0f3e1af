// How far an instance is, as a bar of characters.
const WIDTH = 24;

export function progressBar(percent: number): string {
  const full = Math.round((Math.max(0, Math.min(100, percent)) / 100) * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(percent).padStart(3)} %`;
}
