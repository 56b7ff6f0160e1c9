/** A count with its noun, for people: `1 device`, `2 devices`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
