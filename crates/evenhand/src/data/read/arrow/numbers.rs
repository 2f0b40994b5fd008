//! Arrow's numeric arrays as `f64`.
//!
//! Holds [`floats`]. The cast kernels of Arrow would do it too, and take as long to build as the rest of the engine.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_buffer::i256;
use arrow_schema::DataType;

use crate::data::table::is_exact;

/// The numbers of an array, NaN where there is none; `None` for an array of another type.
pub(super) fn floats(array: &dyn Array) -> Option<Vec<f64>> {
    Some(match array.data_type() {
        DataType::Int8 => converted::<Int8Type>(array, f64::from),
        DataType::Int16 => converted::<Int16Type>(array, f64::from),
        DataType::Int32 => converted::<Int32Type>(array, f64::from),
        DataType::Int64 => converted::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => converted::<UInt8Type>(array, f64::from),
        DataType::UInt16 => converted::<UInt16Type>(array, f64::from),
        DataType::UInt32 => converted::<UInt32Type>(array, f64::from),
        DataType::UInt64 => converted::<UInt64Type>(array, |value| value as f64),
        DataType::Float16 => converted::<Float16Type>(array, f64::from),
        DataType::Float32 => converted::<Float32Type>(array, f64::from),
        DataType::Float64 => converted::<Float64Type>(array, |value| value),
        DataType::Decimal32(_, scale) => scaled::<Decimal32Type>(array, *scale, f64::from),
        DataType::Decimal64(_, scale) => scaled::<Decimal64Type>(array, *scale, |value| value as f64),
        DataType::Decimal128(_, scale) => scaled::<Decimal128Type>(array, *scale, |value| value as f64),
        DataType::Decimal256(_, scale) => scaled::<Decimal256Type>(array, *scale, wide),
        _ => return None,
    })
}

/// The whole numbers of an array, `None` where there is none; `None` for an array of another type.
pub(super) fn whole(array: &dyn Array) -> Option<Vec<Option<i128>>> {
    fn all<T: ArrowPrimitiveType>(array: &dyn Array) -> Vec<Option<i128>>
    where
        i128: From<T::Native>,
    {
        array.as_primitive::<T>().iter().map(|value| value.map(i128::from)).collect()
    }
    Some(match array.data_type() {
        DataType::Int8 => all::<Int8Type>(array),
        DataType::Int16 => all::<Int16Type>(array),
        DataType::Int32 => all::<Int32Type>(array),
        DataType::Int64 => all::<Int64Type>(array),
        DataType::UInt8 => all::<UInt8Type>(array),
        DataType::UInt16 => all::<UInt16Type>(array),
        DataType::UInt32 => all::<UInt32Type>(array),
        DataType::UInt64 => all::<UInt64Type>(array),
        _ => return None,
    })
}

/// The first whole number, or decimal, of an array that a double does not hold: its place and its text.
pub(super) fn rounded(array: &dyn Array) -> Option<(usize, String)> {
    fn first<T: ArrowPrimitiveType>(array: &dyn Array, holds: impl Fn(T::Native) -> bool) -> Option<usize> {
        array.as_primitive::<T>().iter().position(|value| value.is_some_and(|value| !holds(value)))
    }
    // Of a decimal the digits count, wherever the point is.
    let digits = |value: i128| value.unsigned_abs() < 10_u128.pow(15) || is_exact(value);
    match array.data_type() {
        DataType::Int64 => {
            let at = first::<Int64Type>(array, |value| is_exact(value.into()))?;
            Some((at, array.as_primitive::<Int64Type>().value(at).to_string()))
        }
        DataType::UInt64 => {
            let at = first::<UInt64Type>(array, |value| is_exact(value.into()))?;
            Some((at, array.as_primitive::<UInt64Type>().value(at).to_string()))
        }
        DataType::Decimal64(..) => {
            let at = first::<Decimal64Type>(array, |value| digits(value.into()))?;
            Some((at, array.as_primitive::<Decimal64Type>().value_as_string(at)))
        }
        DataType::Decimal128(..) => {
            let at = first::<Decimal128Type>(array, digits)?;
            Some((at, array.as_primitive::<Decimal128Type>().value_as_string(at)))
        }
        DataType::Decimal256(..) => {
            let at = first::<Decimal256Type>(array, |value| value.to_i128().is_some_and(digits))?;
            Some((at, array.as_primitive::<Decimal256Type>().value_as_string(at)))
        }
        _ => None,
    }
}

fn converted<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array: &PrimitiveArray<T> = array.as_primitive();
    if array.null_count() == 0 {
        array.values().iter().map(|&value| number(value)).collect()
    } else {
        array.iter().map(|value| value.map_or(f64::NAN, &number)).collect()
    }
}

/// Decimals: a whole number and the power of ten it is divided by.
fn scaled<T: ArrowPrimitiveType>(array: &dyn Array, scale: i8, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let divisor = 10_f64.powi(i32::from(scale));
    converted::<T>(array, |value| number(value) / divisor)
}

fn wide(value: i256) -> f64 {
    // Of the magnitude: in two's complement the halves of a small negative number cancel, and nothing is left of it.
    let (low, high) = value.wrapping_abs().to_parts();
    let magnitude = high.cast_unsigned() as f64 * 2_f64.powi(128) + low as f64;
    if value.is_negative() { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Decimal256Array, Float32Array, Int64Array, UInt64Array};

    use super::*;

    #[test]
    fn every_width_becomes_the_nearest_double_and_nulls_become_nan() {
        let arrays: Vec<(ArrayRef, f64)> = vec![
            (Arc::new(Int64Array::from(vec![None, Some(-3)])), -3.0),
            (Arc::new(UInt64Array::from(vec![None, Some(u64::MAX)])), 18_446_744_073_709_551_615.0),
            (Arc::new(Float32Array::from(vec![None, Some(0.5)])), 0.5),
        ];
        for (array, expected) in arrays {
            let found = floats(&array).unwrap();
            assert!(found[0].is_nan() && found[1].to_bits() == expected.to_bits(), "{found:?}");
        }
        assert!(floats(&Date32Array::from(vec![1])).is_none());
    }

    #[test]
    fn wide_decimals_keep_their_sign_and_scale() {
        for (whole, expected) in
            [("-125", -1.25), ("1", 0.01), ("34028236692093846346337460743176821145600", 2_f64.powi(128))]
        {
            let value = i256::from_string(whole).unwrap();
            let array = Decimal256Array::from(vec![value]).with_precision_and_scale(60, 2).unwrap();
            let found = floats(&array).unwrap()[0];
            assert!((found - expected).abs() <= expected.abs() * 1e-15, "{whole}: {found}");
        }
    }
}
