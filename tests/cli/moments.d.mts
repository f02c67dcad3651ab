export function watchMoments(watched: string, onMoment: (moment: number) => void): () => void
