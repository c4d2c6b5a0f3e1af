// The time as API Gateway writes it: 12/Mar/2020:19:03:58 +0000.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function gatewayTime(now: number): string {
  const iso = new Date(now).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? '';
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}
