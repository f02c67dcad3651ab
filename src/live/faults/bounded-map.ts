/** Bounded map: what is remembered of packets, however many numbers they name. */

/** Sets an entry as the newest; the oldest leaves where there are too many. */
export function remember<K, T>(map: Map<K, T>, key: K, countMax: number, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= countMax) return
  const oldest = map.keys().next()
  if (oldest.done !== true) map.delete(oldest.value)
}
