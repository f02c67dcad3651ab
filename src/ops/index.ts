/** Instruments: counters and links of a fabric, and what they say of it, whether it is simulated or real. */
export * from './locate/index.ts'
export * from './model/index.ts'
export * from './prometheus/index.ts'
export * from './rates.ts'
export * from './series/index.ts'
export * from './tables/index.ts'
export * from './watch/index.ts'
