/// Why a workload selects nothing.
package struct SelectionError: Error, Hashable, CustomStringConvertible {
    package let description: String
}
