/// The candidate a person who wrote `word` most likely meant; nil when none is near.
///
/// Near is a distance of at most a third of the length of `word`, and at least 1 is allowed. Case
/// does not count. The first of several equally near candidates is taken.
package func nearest(_ word: String, in candidates: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars)
    // Nobody mistypes a name of this length, and the cost grows with the square.
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    let distanceMax = max(1, wanted.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
        let scalars = Array(candidate.lowercased().unicodeScalars)
        guard abs(scalars.count - wanted.count) <= distanceMax else { continue }
        let distance = editDistance(wanted, scalars)
        // A distance of the whole length means that nothing is in common.
        guard distance <= distanceMax, distance < wanted.count else { continue }
        if distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.candidate
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word
/// into the other, no part edited twice (Damerau-Levenshtein, optimal string alignment).
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let replace = last[column] + (left[row] == right[column] ? 0 : 1)
            var distance = min(replace, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                distance = min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
