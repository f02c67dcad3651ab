/** Engine: time and order, nothing about networks; and the memory that both take. */
export { Memory } from '../base/memory.ts'
export { Digest } from './digest.ts'
export { EventQueue } from './event-queue.ts'
