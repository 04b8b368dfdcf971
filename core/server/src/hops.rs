//! How many other Gannets a question came over: the header
//! [`Call::HOPS_HEADER`], which `gannet_remote` sends.

use axum::http::HeaderMap;
use gannet_core::api::Call;

/// The number of the header; 0 where it is missing or is no number.
pub(crate) fn of(headers: &HeaderMap) -> u8 {
    let given = headers.get(Call::HOPS_HEADER);
    let number = given.and_then(|value| value.to_str().ok());
    let number = number.and_then(|text| text.parse::<u64>().ok());
    number.map_or(0, |number| u8::try_from(number).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_number_counts_and_anything_else_is_none() {
        assert_eq!(of(&HeaderMap::new()), 0);
        for (given, expected) in [("2", 2), ("300", u8::MAX), ("-1", 0), ("two", 0), ("", 0)] {
            let value = HeaderValue::from_static(given);
            let mut headers = HeaderMap::new();
            headers.insert(Call::HOPS_HEADER, value);
            assert_eq!(of(&headers), expected, "{given}");
        }
    }
}
