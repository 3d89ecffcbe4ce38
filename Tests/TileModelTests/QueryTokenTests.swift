import Testing

@testable import TileModel

@Suite struct QueryTokenTests {
    @Test(arguments: [
        ("https://t/{z}", "https://t/{z}?k={token}"),
        ("https://t/{z}?", "https://t/{z}?k={token}"),
        ("https://t/?a=1", "https://t/?a=1&k={token}"),
        ("https://t/?a=1&", "https://t/?a=1&k={token}"),
        ("https://t/?k=old", "https://t/?k={token}"),
        ("https://t/?k=old&a=1&k=older&k", "https://t/?a=1&k={token}"),
        ("https://t/?kk=1&K=2", "https://t/?kk=1&K=2&k={token}"),
        ("https://t/?%6B=old&b={z}", "https://t/?b={z}&k={token}"),
        ("https://t/?%zz=1&%6=2", "https://t/?%zz=1&%6=2&k={token}"),
        ("https://t/?a=1#k=f?k=2", "https://t/?a=1&k={token}#k=f?k=2"),
        ("https://t/#f", "https://t/?k={token}#f"),
        ("https://t/?a=?k=1", "https://t/?a=?k=1&k={token}"),
        ("https://t/?k={token}", "https://t/?k={token}"),
    ])
    func tokenIsPlacedOnce(template: String, expected: String) {
        let placed = QueryToken.placing(name: "k", in: template)
        #expect(placed == expected)
        #expect(QueryToken.placing(name: "k", in: placed) == placed)
    }

    @Test func namesAreEncoded() {
        let placed = QueryToken.placing(name: "a b", in: "t?a+b=1&a%20b=2&x=3")
        #expect(placed == "t?x=3&a%20b={token}")
    }

    @Test(arguments: [
        ("ab+c/=", "ab%2Bc%2F%3D"), ("AZaz09-._~", "AZaz09-._~"), ("é %", "%C3%A9%20%25"), ("", ""),
    ])
    func encoding(text: String, expected: String) {
        #expect(percentEncoded(text) == expected)
    }
}
